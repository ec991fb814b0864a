/** `nw actions`, `nw action`: one command to many workflows, as `nw retry`, `cancel`, `pause` and `resume` send it with filters. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import type { BulkCommand } from '../../../engine/vocabulary/states.ts';
import { isDestructive } from '../../client/destruction.ts';
import type { TaskOptions } from '../../client/launch-options.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { onRecord } from '../id-of.ts';
import { count } from '../option-values.ts';
import {
  countsText,
  isTable,
  type OutputFormat,
  showAs,
  showList,
  showRecord,
  type TableColumn,
  tableText,
} from '../output.ts';
import { confirmName } from '../prompts.ts';
import { shownTime } from '../shown-time.ts';
import { inform, printableText, say } from '../terminal.ts';
import { withInterrupt } from '../watch/watch-to-end.ts';
import { wholeList } from '../whole-list.ts';
import { type SelectedWorkflow, type SelectionOptions, selectedWorkflows } from '../workflow-selection.ts';

type BulkAction = GetAnswer<'/workflows/actions/:id'>;
type Item = BulkAction['items'][number];

const POLL_MS = 500;

const sumText = ({ counts }: BulkAction): string => countsText(counts) || 'no workflow';

const columns: TableColumn<BulkAction>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'command', value: ({ command }) => command },
  { title: 'status', value: ({ status }) => status },
  { title: 'workflows', value: sumText },
  { title: 'by', value: ({ createdBy }) => createdBy },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt) },
];

const itemColumns: TableColumn<Item>[] = [
  { title: 'workflow', value: ({ workflow }) => workflow },
  { title: 'status', value: ({ status }) => status },
  { title: 'new workflow', value: ({ newWorkflow }) => newWorkflow },
  { title: 'code', value: ({ code }) => code },
  { title: 'message', value: ({ message }) => message, wide: true },
];

export function addBulkActionCommands(root: Command): void {
  connecting(root.command('actions'))
    .description('lists commands to many workflows')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const action = root.command('action').description('one command to many workflows');
  connecting(action.command('show <action>')).description('shows what became of each workflow').action(show);
  connecting(action.command('cancel <action>'))
    .description('leaves the workflows that the command has not reached')
    .action(cancel);
}

const list = ({ limit, ...options }: ConnectionOptions & { limit?: number }): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/workflows/actions', { query }), {}, limit);
    showList(body, columns, options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('action', given, options, async (client, params) =>
    showAction((await client.get('/workflows/actions/:id', { params })).body, options.output),
  );

const cancel = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('action', given, options, async (client, params) => {
    const body = { command: 'cancel' } as const;
    showAction((await client.put('/workflows/actions/:id/action', { params, body })).body, options.output);
  });

const read = async (client: Client, id: string): Promise<BulkAction> =>
  (await client.get('/workflows/actions/:id', { params: { id } })).body;

function showAction(action: BulkAction, format: OutputFormat): void {
  const { id, command, status, createdBy, createdAt } = action;
  showRecord(
    action,
    [
      ['id', id],
      ['command', command],
      ['status', status],
      ['workflows', sumText(action)],
      ['by', createdBy],
      ['created', shownTime(createdAt)],
    ],
    format,
  );
  if (isTable(format)) say(tableText(action.items, itemColumns, format === 'wide'));
}

export interface ManyRequest {
  command: BulkCommand;
  select: SelectionOptions;
  format: OutputFormat;
  /** Does not ask before destructive graphs. */
  yes: boolean;
  retry?: { options: TaskOptions; acknowledge?: boolean | string[] };
}

/** Sends the command to the workflows, and follows it to its end; a rejected workflow makes it fail. */
export async function actOnMany(client: Client, request: ManyRequest): Promise<void> {
  const { command, select, format, yes, retry: { options, acknowledge } = { options: {} } } = request;
  const workflows = await selectedWorkflows(client, select, command === 'retry');
  if (workflows.length === 0) return inform('none');
  const sum = `${command} of ${countText(workflows.length, 'workflow')}: ${graphsText(workflows)}`;
  inform(printableText(sum));
  if (!yes && (command === 'retry' || command === 'cancel')) await confirmDestructive(client, sum, workflows);
  const body = {
    command,
    ids: workflows.map(({ id }) => id),
    ...(Object.keys(options).length > 0 && { options }),
    ...(acknowledge !== undefined && { acknowledge }),
  };
  const { body: first } = await client.post('/workflows/actions', { body });
  const { result, isInterrupted } = await withInterrupt(undefined, (signal) => follow(client, first, signal));
  if (isInterrupted) process.exitCode = EXIT.interrupted;
  showAs(format, result, () => {
    say(result.id);
    inform(`${sumText(result)}; nw action show ${result.id} lists them`);
    const rejected = result.items.filter(({ status }) => status === 'rejected');
    for (const { workflow, code, message } of rejected.slice(0, 20))
      inform(printableText(`${workflow} rejected: ${message} (${code})`));
    if (rejected.some(({ code }) => code === 'RETRY_UNSAFE'))
      inform('Check the nodes; then repeat the command with --acknowledge-all, or --acknowledge LABEL');
  });
  if (result.items.some(({ status }) => status === 'rejected')) process.exitCode ??= EXIT.failed;
}

function graphsText(workflows: readonly SelectedWorkflow[]): string {
  const counts = new Map<string, number>();
  for (const { injectableName } of workflows) counts.set(injectableName, (counts.get(injectableName) ?? 0) + 1);
  return [...counts].map(([graph, n]) => `${n} ${graph}`).join(', ');
}

async function confirmDestructive(client: Client, sum: string, workflows: readonly SelectedWorkflow[]): Promise<void> {
  for (const graph of new Set(workflows.map(({ injectableName }) => injectableName))) {
    const plan = await requestPlan(client, { graph, options: {} }, undefined).catch((error: unknown) => {
      // A graph that no longer exists has no plan, so it may destroy data.
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    if (plan === undefined || isDestructive(plan))
      return confirmName(`${sum}. ${graph} destroys data.`, String(workflows.length), false);
  }
}

async function follow(client: Client, first: BulkAction, signal: AbortSignal): Promise<BulkAction> {
  let action = first;
  while (!signal.aborted && action.status === 'running') {
    await pause(POLL_MS, undefined, { signal }).catch(() => {});
    action = await read(client, first.id);
  }
  return action;
}
