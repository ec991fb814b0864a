/** `nw rollouts`, `nw rollout`: a graph on many nodes, in phases. */
import type { Command } from 'commander';
import type { RolloutAction, RolloutBody } from '../../../engine/api-port/index.ts';
import { isDestructive } from '../../client/destruction.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { count, jsonRecord } from '../option-values.ts';
import { showAs, showList, type TableColumn } from '../output.ts';
import { confirmName } from '../prompts.ts';
import { rolloutColumns, showRollout, showRolloutPlan, targetColumns } from '../rollout-view.ts';
import { inform, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

interface ListFlags extends ConnectionOptions {
  status?: string;
  limit?: number;
}

const REQUEST = 'the rollout as JSON, or its file: graph, targets, phases, limits, gates, window, ticket';

export function addRolloutCommands(root: Command): void {
  connecting(root.command('rollouts'))
    .description('lists rollouts')
    .option('--status <status>', 'only these: running, paused, succeeded, ...')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const rollout = root.command('rollout').description('a graph on many nodes, in phases');
  connecting(rollout.command('plan').argument('<rollout>', REQUEST, jsonRecord))
    .description('shows the targets, their phases, and what would be rejected; exit code 1 if something would')
    .action(plan);
  connecting(rollout.command('create').argument('<rollout>', REQUEST, jsonRecord))
    .description('starts a rollout')
    .option('-y, --yes', 'does not ask before a destructive graph')
    .action(create);
  connecting(rollout.command('show <rollout>')).description('shows a rollout').action(show);
  connecting(rollout.command('targets <rollout>'))
    .description('lists the targets of a rollout, by sequence')
    .option('--phase <index>', 'only those of this phase')
    .option('--status <status>', 'only these: pending, waiting, running, failed, ...')
    .option('--limit <number>', 'records; by default all', count)
    .action(targets);
  addActions(rollout);
}

function addActions(rollout: Command): void {
  const action = (name: string, description: string) =>
    connecting(rollout.command(`${name} <rollout>`)).description(description);
  action('pause', 'begins no more targets; those that run go on').action(acting(() => ({ command: 'pause' })));
  action('resume', 'continues after a pause by a user or a gate').action(acting(() => ({ command: 'resume' })));
  action('advance', 'begins the next phase')
    .option('--phase <index>', 'must be the index of the next phase', Number)
    .action(acting<{ phase?: number }>(({ phase }) => ({ command: 'advance', ...(phase !== undefined && { phase }) })));
  action('cancel', 'skips the targets that have not begun')
    .option('--running', 'also cancels the workflows that run')
    .action(
      acting<{ running?: boolean }>(({ running }) => ({ command: 'cancel', ...(running && { cancelRunning: true }) })),
    );
  action('retry', 'runs the failed targets again, in a new phase')
    .option('--acknowledge', 'once tasks may run again that may have taken effect')
    .action(
      acting<{ acknowledge?: boolean }>(({ acknowledge }) => ({
        command: 'retry-failed',
        ...(acknowledge && { acknowledge }),
      })),
    );
}

const acting =
  <Flags extends object = object>(actionOf: (flags: Flags) => RolloutAction) =>
  (id: string, options: ConnectionOptions & Flags): Promise<void> =>
    withClient(options, async (client) => {
      const { body } = await client.put('/rollouts/:id/action', { params: { id }, body: actionOf(options) });
      showRollout(body, options.output);
    });

const list = ({ status, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const filter = status === undefined ? {} : { status };
    const { body, total } = await wholeList((query) => client.get('/rollouts', { query }), filter, limit);
    showList(body, rolloutColumns, options.output, total);
  });

const show = (id: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/rollouts/:id', { params: { id } });
    showRollout(body, options.output);
  });

const targets = (id: string, { status, phase, limit, ...options }: ListFlags & { phase?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const filter = { ...(status !== undefined && { status }), ...(phase !== undefined && { phase }) };
    const { body, total } = await wholeList(
      (query) => client.get('/rollouts/:id/targets', { params: { id }, query }),
      filter,
      limit,
    );
    showList(body, targetColumns as TableColumn<GetAnswer<'/rollouts/:id/targets'>[number]>[], options.output, total);
  });

/** The daemon checks the request. */
const requestIn = (given: unknown): RolloutBody => given as RolloutBody;

const plan = (given: unknown, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/rollouts/plan', { body: requestIn(given) });
    showRolloutPlan(body, options.output);
    if (body.rejections.length > 0) process.exitCode = EXIT.failed;
  });

const create = (given: unknown, { yes, ...options }: ConnectionOptions & { yes?: boolean }): Promise<void> =>
  withClient(options, async (client) => {
    const request = requestIn(given);
    if (yes !== true) await confirmDestructive(client, request);
    const { body } = await client.post('/rollouts', { body: request });
    showAs(options.output, body, () => {
      say(body.id);
      inform(`${body.counts.pending} targets in ${body.phases.length} phases; nw rollout show ${body.id} shows it`);
    });
  });

async function confirmDestructive(client: Client, request: RolloutBody): Promise<void> {
  if (typeof request.graph !== 'string') return;
  const launch = { graph: request.graph, options: request.options ?? {} };
  if (isDestructive(await requestPlan(client, launch, undefined)))
    await confirmName(`${request.graph} destroys data on many nodes.`, request.graph, false);
}
