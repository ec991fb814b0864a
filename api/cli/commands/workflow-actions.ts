/** `nw cancel|pause|resume|retry-now|release|notify|retry`: acts on one workflow, or some of them on many by filters. */
import type { Command } from 'commander';
import { isOneOf } from '../../../engine/vocabulary/one-of.ts';
import { isDestructive } from '../../client/destruction.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, type LaunchingOptions, launching, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { nodeOf } from '../node-of.ts';
import { appendValue, jsonValue, timeSpan } from '../option-values.ts';
import { showAs } from '../output.ts';
import { confirmName } from '../prompts.ts';
import { givenOptions } from '../task-options.ts';
import { inform, printableText, say } from '../terminal.ts';
import { watchToEnd } from '../watch/watch-to-end.ts';
import { activeWorkflow, latestWorkflow, type Workflow } from '../workflow-of.ts';
import { isSelection, type SelectionOptions, selecting } from '../workflow-selection.ts';
import { actOnMany } from './bulk-actions.ts';

type Action = 'cancel' | 'pause' | 'resume' | 'retry-now' | 'release';

const actions: Readonly<Record<Action, string>> = {
  cancel: 'cancels a workflow, or that of a node',
  pause: 'begins no further task and no further attempt, until resume',
  resume: 'continues a workflow that is paused',
  'retry-now': 'begins the next attempt immediately, also if the circuit of its BMC is open',
  release: 'lets a workflow run that is quarantined',
};

/** Those that many workflows can get together. */
const manyCommands = ['cancel', 'pause', 'resume'] as const;

interface CommandOptions extends ConnectionOptions, SelectionOptions {
  yes?: boolean;
}

interface NotifyOptions extends ConnectionOptions {
  label?: string;
  data?: unknown;
}

interface RetryOptions extends LaunchingOptions, SelectionOptions {
  from?: string;
  acknowledge?: string[];
  acknowledgeAll?: boolean;
  definition?: 'newest';
  watch?: boolean;
  timeout?: number;
  yes?: boolean;
}

export function addWorkflowActions(root: Command): void {
  for (const [name, description] of Object.entries(actions) as [Action, string][]) {
    const isForMany = isOneOf(manyCommands, name);
    const command = connecting(root.command(`${name} ${isForMany ? '[workflow]' : '<workflow>'}`));
    command.description(isForMany ? `${description}; or, with filters, of many` : description);
    if (isForMany) selecting(command);
    if (name === 'cancel') command.option('-y, --yes', 'does not ask, also if its graph is destructive');
    command.action((given: string | undefined, options: CommandOptions) => act(name, given, options));
  }
  connecting(root.command('notify <workflow>'))
    .description('completes a wait for a notification instead of the node')
    .option('--label <label>', 'of the task that waits; absent: the only one')
    .option('--data <json>', 'the parameters of the notification, an object', jsonValue)
    .action(notify);
  const command = selecting(launching(root.command('retry [workflow]')))
    .description(
      'runs a workflow that has ended again, or the last one of a node, as a new workflow; or, with filters, all that failed',
    )
    .option('--failed', 'without a workflow: all that failed')
    .option('--from <label>', '`failed` (default), `start`, or the label of a task')
    .option(
      '--acknowledge <label>',
      'a `once` task that may run again although it may have taken effect; may be repeated',
      appendValue,
    )
    .option('--acknowledge-all', 'of many: all `once` tasks may run again')
    .option('-w, --watch', 'follows the new workflow to its end, which determines the exit code')
    .option('--timeout <time>', 'with --watch: how long to follow, such as 10m; then exit code 4', timeSpan)
    .option('-y, --yes', 'does not ask before a destructive graph');
  command.addOption(
    command.createOption('--definition <version>', 'of the graph; absent: that of the original').choices(['newest']),
  );
  command.action(retry);
}

function act(command: Action, given: string | undefined, { yes, ...options }: CommandOptions): Promise<void> {
  if (given !== undefined || !isOneOf(manyCommands, command))
    return send(command, oneOf(given, options), { ...options, ...(yes && { yes }) });
  checkSelection(options);
  const request = { command, select: options, format: options.output, yes: yes === true };
  return withClient(options, (client) => actOnMany(client, request));
}

/** @throws CommandError if a workflow and filters are given, or nothing */
function oneOf(given: string | undefined, options: SelectionOptions): string {
  if (given !== undefined && !isSelection(options)) return given;
  throw new CommandError('found a workflow and filters, or neither; expected one of them', EXIT.usage);
}

function checkSelection(options: SelectionOptions): void {
  if (!isSelection(options))
    throw new CommandError('found neither a workflow nor a filter; expected one of them', EXIT.usage);
}

const send = (command: Action, given: string, { yes, ...options }: CommandOptions): Promise<void> =>
  withClient(options, async (client) => {
    const workflow = await activeWorkflow(client, given);
    const params = { id: workflow.id };
    if (command === 'cancel' && yes !== true) await confirmDestructive(client, workflow, 'may be destroying data');
    const { body } = await client.put('/workflows/:id/action', { params, body: { command } });
    showAs(options.output, body, () => inform(printableText(`${body.injectableName} ${body.id}: ${done[command]}`)));
  });

const done: Readonly<Record<Action, string>> = {
  cancel: 'is cancelled; nw watch shows its end',
  pause: 'is paused; nw resume continues it',
  resume: 'continues',
  'retry-now': 'begins the next attempt now',
  release: 'continues',
};

const notify = (given: string, { label, data = {}, ...options }: NotifyOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id, injectableName } = await activeWorkflow(client, given);
    const query = { label };
    const { body } = await client.post('/workflows/:id/notification', { params: { id }, query, body: data as never });
    showAs(options.output, body, () => inform(printableText(`${injectableName} ${id} has the notification`)));
  });

/** Asks before an action on a graph that may destroy data. One that no longer exists has no plan, so it may. */
async function confirmDestructive(client: Client, workflow: Workflow, warning: string): Promise<void> {
  const { injectableName: graph, node: id } = workflow;
  const node = id === null ? undefined : await nodeOf(client, id).catch(() => undefined);
  const plan = await requestPlan(client, { graph, options: {} }, node).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  if (plan !== undefined && !isDestructive(plan)) return;
  const target = node === undefined ? '' : ` on ${node.name}`;
  await confirmName(`${graph}${target} ${warning}.`, node?.name ?? graph, false);
}

function retry(given: string | undefined, options: RetryOptions): Promise<void> {
  if (given !== undefined) return retryOne(oneOf(given, options), options);
  checkSelection(options);
  const { output, set: _, acknowledge, acknowledgeAll, yes, from, definition, watch, timeout, ...select } = options;
  if ([from, definition, watch, timeout].some((one) => one !== undefined))
    throw new CommandError(
      'found --from, --definition, --watch or --timeout; expected them with one workflow',
      EXIT.usage,
    );
  const labels = acknowledgeAll === true ? true : acknowledge;
  const request = {
    command: 'retry' as const,
    select,
    format: output.format,
    yes: yes === true,
    retry: { options: givenOptions(options), ...(labels !== undefined && { acknowledge: labels }) },
  };
  return withClient({ ...select, output: output.format }, (client) => actOnMany(client, request));
}

const retryOne = (given: string, { output, ...options }: RetryOptions): Promise<void> =>
  withClient({ ...options, output: output.format }, async (client) => {
    const { from, acknowledge, definition, watch, timeout, yes } = options;
    const original = await latestWorkflow(client, given);
    if (yes !== true) await confirmDestructive(client, original, 'destroys data');
    const body = {
      options: givenOptions({ output, ...options }),
      ...(from !== undefined && { from }),
      ...(acknowledge !== undefined && { acknowledge }),
      ...(definition !== undefined && { definition }),
    };
    const { body: workflow } = await client.post('/workflows/:id/retry', { params: { id: original.id }, body });
    if (watch === true)
      return watchToEnd(client, workflow.id, { format: output.format, ...(timeout && { timeoutMs: timeout }) });
    return showAs(output.format, workflow, () => {
      say(workflow.id);
      inform(printableText(`${workflow.injectableName} runs again; nw watch ${workflow.id} follows it`));
    });
  });
