/** `nw cancel|pause|resume|retry-now|release|notify|retry`: acts on one workflow. */
import type { Command } from 'commander';
import { isDestructive } from '../../client/destruction.ts';
import { taskOptionsOf } from '../../client/launch-options.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, type LaunchingOptions, launching, withClient } from '../connection.ts';
import { nodeOf } from '../node-of.ts';
import { appendValue, jsonValue, timeSpan } from '../option-values.ts';
import { showAs } from '../output.ts';
import { confirmName } from '../prompts.ts';
import { inform, printableText, say } from '../terminal.ts';
import { watchToEnd } from '../watch/watch-to-end.ts';
import { activeWorkflow, latestWorkflow, type Workflow } from '../workflow-of.ts';

type Action = 'cancel' | 'pause' | 'resume' | 'retry-now' | 'release';

const actions: Readonly<Record<Action, string>> = {
  cancel: 'cancels a workflow, or that of a node',
  pause: 'begins no further task and no further attempt, until resume',
  resume: 'continues a workflow that is paused',
  'retry-now': 'begins the next attempt immediately, also if the circuit of its BMC is open',
  release: 'lets a workflow run that is quarantined',
};

interface CommandOptions extends ConnectionOptions {
  yes?: boolean;
}

interface NotifyOptions extends ConnectionOptions {
  label?: string;
  data?: unknown;
}

interface RetryOptions extends LaunchingOptions {
  from?: string;
  acknowledge?: string[];
  definition?: 'newest';
  watch?: boolean;
  timeout?: number;
  yes?: boolean;
}

export function addWorkflowActions(root: Command): void {
  for (const [name, description] of Object.entries(actions) as [Action, string][]) {
    const command = connecting(root.command(`${name} <workflow>`)).description(description);
    if (name === 'cancel') command.option('-y, --yes', 'does not ask, also if its graph is destructive');
    command.action((given: string, options: CommandOptions) => send(name, given, options));
  }
  connecting(root.command('notify <workflow>'))
    .description('completes a wait for a notification instead of the node')
    .option('--label <label>', 'of the task that waits; absent: the only one')
    .option('--data <json>', 'the parameters of the notification, an object', jsonValue)
    .action(notify);
  const command = launching(root.command('retry <workflow>'))
    .description('runs a workflow that has ended again, or the last one of a node, as a new workflow')
    .option('--from <label>', '`failed` (default), `start`, or the label of a task')
    .option(
      '--acknowledge <label>',
      'a `once` task that may run again although it may have taken effect; may be repeated',
      appendValue,
    )
    .option('-w, --watch', 'follows the new workflow to its end, which determines the exit code')
    .option('--timeout <time>', 'with --watch: how long to follow, such as 10m; then exit code 4', timeSpan)
    .option('-y, --yes', 'does not ask before a destructive graph');
  command.addOption(
    command.createOption('--definition <version>', 'of the graph; absent: that of the original').choices(['newest']),
  );
  command.action(retry);
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

const retry = (given: string, { output, ...options }: RetryOptions): Promise<void> =>
  withClient({ ...options, output: output.format }, async (client) => {
    const { from, acknowledge, definition, watch, timeout, yes } = options;
    const original = await latestWorkflow(client, given);
    if (yes !== true) await confirmDestructive(client, original, 'destroys data');
    const body = {
      options: taskOptionsOf(output.given),
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
