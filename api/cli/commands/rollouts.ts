/** `nw rollouts`, `nw rollout`: a graph on many nodes, in phases. */

import type { Command } from 'commander';
import type { RolloutAction, RolloutBody } from '../../../engine/api-port/index.ts';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { isDestructive } from '../../client/destruction.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { onRecord } from '../id-of.ts';
import { nodeTexts } from '../node-names.ts';
import { count } from '../option-values.ts';
import { showAs, showList } from '../output.ts';
import { confirmName } from '../prompts.ts';
import { reportedNodes, showReport } from '../rehearsal-view.ts';
import { describingRollout, type RolloutFlags, rolloutOf } from '../rollout-request.ts';
import { rolloutColumns, showRollout, showRolloutPlan, showTargets } from '../rollout-view.ts';
import { inform, say } from '../terminal.ts';
import { approvalText } from '../ticket-request.ts';
import { wholeList } from '../whole-list.ts';

interface ListFlags extends ConnectionOptions {
  status?: string;
  limit?: number;
}

type RequestFlags = ConnectionOptions & RolloutFlags;

interface CreateFlags extends RequestFlags {
  yes?: boolean;
  requestTicket?: boolean;
}

export function addRolloutCommands(root: Command): void {
  connecting(root.command('rollouts'))
    .description('lists rollouts')
    .option('--status <status>', 'only these: running, paused, succeeded, ...')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const rollout = root.command('rollout').description('a graph on many nodes, in phases');
  addRequests(rollout);
  connecting(rollout.command('show <rollout>')).description('shows a rollout').action(show);
  connecting(rollout.command('targets <rollout>'))
    .description('lists the targets of a rollout, by sequence')
    .option('--phase <index>', 'only those of this phase')
    .option('--status <status>', 'only these: pending, waiting, running, failed, ...')
    .option('--limit <number>', 'records; by default all', count)
    .action(targets);
  addActions(rollout);
}

function addRequests(rollout: Command): void {
  const request = (name: string) =>
    describingRollout(connecting(rollout.command(name))).option('--name <name>', 'of the rollout');
  request('plan')
    .description('shows the targets, their phases, and what would be rejected; exit code 1 if something would')
    .option('--print', 'only prints the rollout as JSON: for a file, nw rehearse, or a schedule')
    .action(plan);
  request('rehearse')
    .description('shows how it would go, by earlier runs of its graph; exit code 1 if it would probably stop')
    .action(rehearse);
  request('create')
    .description('starts a rollout')
    .option('--request-ticket', 'asks for a ticket, and creates it paused until another user has approved that')
    .option('-y, --yes', 'does not ask before a destructive graph')
    .action(create);
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
  (given: string, options: ConnectionOptions & Flags): Promise<void> =>
    onRecord('rollout', given, options, async (client, params) => {
      const { body } = await client.put('/rollouts/:id/action', { params, body: actionOf(options) });
      await showRollout(client, body, options.output);
    });

const list = ({ status, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const filter = status === undefined ? {} : { status };
    const { body, total } = await wholeList((query) => client.get('/rollouts', { query }), filter, limit);
    showList(body, rolloutColumns, options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('rollout', given, options, async (client, params) => {
    const { body } = await client.get('/rollouts/:id', { params });
    await showRollout(client, body, options.output);
  });

const targets = (given: string, { status, phase, limit, ...options }: ListFlags & { phase?: string }): Promise<void> =>
  onRecord('rollout', given, options, async (client, params) => {
    const filter = { ...(status !== undefined && { status }), ...(phase !== undefined && { phase }) };
    const { body, total } = await wholeList(
      (query) => client.get('/rollouts/:id/targets', { params, query }),
      filter,
      limit,
    );
    await showTargets(client, body, options.output, total);
  });

const plan = (given: string, nodes: string[], { print, ...options }: RequestFlags & { print?: boolean }) =>
  withClient(options, async (client) => {
    const request = await rolloutOf(client, given, nodes, options);
    if (print === true) return say(JSON.stringify(request));
    const { body } = await client.post('/rollouts/plan', { body: request });
    await showRolloutPlan(client, body, options.output);
    if (body.rejections.length > 0) process.exitCode = EXIT.failed;
  });

const rehearse = (given: string, nodes: string[], options: RequestFlags): Promise<void> =>
  withClient(options, async (client) => {
    const request = await rolloutOf(client, given, nodes, options);
    const { body } = await client.post('/rehearsals', { body: request });
    const nameOf = await nodeTexts(client, reportedNodes(body.report), options.output);
    showReport(body.report, body, options.output, nameOf);
  });

const create = (given: string, nodes: string[], { yes, requestTicket, ...options }: CreateFlags): Promise<void> =>
  withClient(options, async (client) => {
    const request = await rolloutOf(client, given, nodes, options);
    if (yes !== true) await confirmDestructive(client, request);
    const ticket = requestTicket === true ? await ticketFor(client, request) : {};
    const { body } = await client.post('/rollouts', { body: { ...request, ...ticket } });
    showAs(options.output, body, () => {
      say(body.id);
      inform(
        `${countText(body.counts.pending, 'target')} in ${countText(body.phases.length, 'phase')}; nw rollout show ${body.id} shows it`,
      );
    });
  });

/** The ticket is of the plan, so that the rollout gets the seed of that. */
async function ticketFor(client: Client, request: RolloutBody): Promise<{ ticket: string; seed: number }> {
  const { seed } = (await client.post('/rollouts/plan', { body: request })).body;
  const { id } = (await client.post('/tickets', { body: { rollout: { ...request, seed } } })).body;
  inform(approvalText(id));
  return { ticket: id, seed };
}

async function confirmDestructive(client: Client, request: RolloutBody): Promise<void> {
  if (typeof request.graph !== 'string') return;
  const launch = { graph: request.graph, options: request.options ?? {} };
  if (isDestructive(await requestPlan(client, launch, undefined)))
    await confirmName(`${request.graph} destroys data on many nodes.`, request.graph, false);
}
