/** Opens the rollouts and the windows. */

import { existingIn } from '../inventory/nodes/node-requests.ts';
import { retention } from '../platform/cluster/retention.ts';
import { TeamQuota } from '../workflows/requests/team-quota.ts';
import { type BlocksScope, RolloutBlocks } from '../workflows/rollouts/rollout-blocks.ts';
import { rolloutsOf } from '../workflows/rollouts/rollout-quota.ts';
import { RolloutRequests } from '../workflows/rollouts/rollout-requests.ts';
import { RolloutRestrictions } from '../workflows/rollouts/rollout-restrictions.ts';
import { RolloutTargets } from '../workflows/rollouts/rollout-targets.ts';
import { rolloutWaits } from '../workflows/rollouts/rollout-waits.ts';
import {
  rolloutSpec,
  type StoredRollout,
  type StoredTarget,
  targetSpec,
} from '../workflows/rollouts/stored-rollout.ts';
import { RolloutTickets } from '../workflows/tickets/rollout-tickets.ts';
import { type StoredWindow, WindowRequests, windowSpec } from '../workflows/windows/window-requests.ts';
import type { OpenDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openWorkflows } from './workflows.ts';

export async function openRollouts(
  foundation: Foundation,
  { library }: OpenDefinitions,
  { nodes, storedNodes, teams }: Inventory,
  work: Awaited<ReturnType<typeof openWorkflows>>,
) {
  const { preparation, launches, control, durations, graphs } = work;
  const { config, store, cluster, records, outbox, queues, failedIn } = foundation;
  const stored = await store.collection<StoredTarget>(targetSpec);
  const rollouts = await store.collection<StoredRollout>(rolloutSpec);
  const storedWindows = await store.collection<StoredWindow>(windowSpec);
  const windows = new WindowRequests(storedWindows);
  const usualTimes: BlocksScope['usualTimes'] = (version, team) => durations.usualTimes(version, team);
  const tickets = new RolloutTickets(work.approvals, work.tickets);
  const blocks = new RolloutBlocks({ tickets, windows: storedWindows, usualTimes });
  const requests = new RolloutRequests({
    rollouts,
    stored,
    targets: new RolloutTargets(stored),
    records,
    nodes: nodes.nodes,
    existingIds: existingIn(storedNodes),
    graphs,
    prepare: (name, options, isEncrypted) => preparation.optionsToStore(name, options, isEncrypted),
    launches,
    control,
    outbox,
    cluster,
    changes: queues.channel('rollouts'),
    pinnedGraph: (hash) => library.pinnedGraph(hash),
    usualTimes,
    windows: storedWindows,
    healthOf: (node) => nodes.health.stateOf(node),
    heldAmong: async (among) => new Set((await nodes.holds.kindsOn(among)).keys()),
    blockedBy: (rollout) => blocks.of(rollout),
    tickets,
    restrictions: new RolloutRestrictions(work.restrictions, stored),
    quota: new TeamQuota({ leases: cluster.leases, teams }, rolloutsOf(rollouts)),
    checkRetry: (workflow) => launches.checkRetry(workflow),
    checkLaunch: ({ id, graph: name, options, ticket, owner, launcherRoles }, { node, phase, definitionHash }) => {
      const approved = ticket === null ? {} : { ticket, rollout: { id, phase } };
      const version = definitionHash === undefined ? {} : { definitionHash };
      const team = owner === undefined ? {} : { team: owner };
      const roles = launcherRoles === undefined ? {} : { launcherRoles };
      return launches.check({ name, options, ...approved, ...version, ...team, ...roles }, node);
    },
    failed: failedIn('rollouts'),
  });
  windows.addUse((window) => requests.userOf(window));
  const tidying = retention(cluster, {
    name: 'ended rollouts',
    days: config.workflowRetentionDays,
    removeBefore: (before) => requests.removeBefore(before),
    failed: failedIn('rollout retention'),
  });
  const waits = (node: string) =>
    rolloutWaits({ rollouts, stored, windows: storedWindows, tickets: work.tickets }, node);
  return { requests, stored: rollouts, tidying, windows, waits, tickets };
}
