/** `nw ps`, `nw workflow show`, `nw history`: workflows, to read. */

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { checkNames } from '../checked-names.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeNames, nodeTexts } from '../node-names.ts';
import { nodeOf } from '../node-of.ts';
import { count } from '../option-values.ts';
import { showAs, showList, type TableColumn } from '../output.ts';
import { ownName } from '../own-name.ts';
import { shownTime } from '../shown-time.ts';
import { inform, printableText } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';
import { workflowListColumns } from '../workflow-cells.ts';
import { latestWorkflow } from '../workflow-of.ts';
import { showWorkflow } from '../workflow-view.ts';

export function addWorkflowCommands(root: Command): void {
  connecting(root.command('ps [workflow]'))
    .description('lists workflows: those that are active, newest first; or one, by the beginning of its id')
    .option('-a, --all', 'also those that have ended')
    .option('--failed', 'those that failed')
    .option('--stuck', 'those that do not go on as usual')
    .option('--mine', 'those that you launched')
    .option('--graph <name>', 'those of the graph')
    .option('--node <node>', 'those of the node: by id, MAC, identifier or name')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const workflow = root.command('workflow').description('one workflow, by id or by its node');
  connecting(workflow.command('show <workflow>'))
    .description('shows a workflow: its tasks, their errors and progress')
    .action(show);
  connecting(root.command('history <workflow>'))
    .description('lists the steps of a workflow')
    .option('--export <file>', 'writes the workflow and its history as JSON, which nw replay reads')
    .action(history);
}

interface ListOptions extends ConnectionOptions {
  all?: boolean;
  failed?: boolean;
  stuck?: boolean;
  mine?: boolean;
  graph?: string;
  node?: string;
  limit?: number;
}

const list = (given: string | undefined, options: ListOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { all, failed, stuck, graph, node, limit, mine } = options;
    const status = failed === true ? 'failed' : all === true ? undefined : 'pending,running';
    const id = node === undefined ? undefined : (await nodeOf(client, node)).id;
    const launchedBy = mine === true ? ownName(options) : undefined;
    const query = { status, stuck, injectableName: graph, node: id, launchedBy, sort: '-createdAt' };
    const one = given === undefined ? undefined : await latestWorkflow(client, given);
    const { body, total } = one
      ? { body: [one], total: 1 }
      : await wholeList((page) => client.get('/workflows', { query: page }), query, limit);
    if (body.length === 0) await checkNames(client, { graph });
    const nameOf = await nodeTexts(
      client,
      body.map((workflow) => workflow.node),
      options.output,
    );
    showList(body, workflowListColumns(nameOf, options.output), options.output, total);
  });

const HISTORY_PAGE = 1_000;
const show = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const workflow = await latestWorkflow(client, given);
    const names = await nodeNames(client, [workflow.node]);
    showAs(options.output, workflow, () => showWorkflow(workflow, names.get(workflow.node) ?? workflow.node));
  });

type HistoryEntry = GetAnswer<'/workflows/:id/history'>[number];

const historyColumns: TableColumn<HistoryEntry>[] = [
  { title: '#', value: ({ version }) => version },
  { title: 'at', value: ({ at }) => shownTime(at) },
  { title: 'event', value: ({ event }) => event },
  { title: 'label', value: ({ label }) => label },
  { title: 'to', value: ({ to }) => valueText(to) },
  { title: 'by', value: ({ by, cause }) => by ?? cause?.kind },
  { title: 'error', value: ({ error, attempt }) => error && `${attempt ? `attempt ${attempt}: ` : ''}${error.code}` },
  { title: 'from', value: ({ from }) => valueText(from), wide: true },
  { title: 'message', value: ({ error }) => error?.message, wide: true },
];

/** A state value: a name, or states in states. */
const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const history = (given: string, { export: file, ...options }: ConnectionOptions & { export?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const workflow = await latestWorkflow(client, given);
    const entries = await wholeHistory(client, workflow.id);
    if (file === undefined) return showList(entries, historyColumns, options.output);
    writeFileSync(file, `${JSON.stringify({ workflow, history: entries }, null, 2)}\n`);
    return inform(
      printableText(`${file}: ${countText(entries.length, 'step')} of ${workflow.injectableName} ${workflow.id}`),
    );
  });

async function wholeHistory(client: Client, id: string): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (;;) {
    const query = { $skip: entries.length, $top: HISTORY_PAGE };
    const { body } = await client.get('/workflows/:id/history', { params: { id }, query });
    entries.push(...body);
    if (body.length < HISTORY_PAGE) return entries;
  }
}
