/** Opens the schedules. */

import { existingIn } from '../inventory/nodes/node-requests.ts';
import { retention } from '../platform/cluster/retention.ts';
import { ScheduleRequests } from '../workflows/schedules/schedule-requests.ts';
import { runSpec, type StoredRun, type StoredSchedule, scheduleSpec } from '../workflows/schedules/stored-schedule.ts';
import type { OpenDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openRollouts } from './rollouts.ts';
import type { openWorkflows } from './workflows.ts';

export async function openSchedules(
  foundation: Foundation,
  { library }: OpenDefinitions,
  { nodes, storedNodes }: Inventory,
  { preparation, batches, approvals, restrictions }: Awaited<ReturnType<typeof openWorkflows>>,
  rollouts: Awaited<ReturnType<typeof openRollouts>>,
) {
  const { config, store, cluster, outbox, queues, failedIn } = foundation;
  const stored = await store.collection<StoredSchedule>(scheduleSpec);
  const requests = new ScheduleRequests({
    schedules: stored,
    runs: await store.collection<StoredRun>(runSpec),
    jobs: queues.queue('schedules'),
    nodes: nodes.nodes,
    existingIds: existingIn(storedNodes),
    batches,
    rollouts: rollouts.requests,
    prepare: (name, options) => preparation.optionsToStore(name, options),
    checkApprovals: (name, options, ids) => approvals.rejectUnapproved({ id: '', name, node: null, options }, ids),
    restrictions,
    graph: (name) => library.graph(name),
    outbox,
    cluster,
    failed: failedIn('schedules'),
  });
  rollouts.windows.addUse((window) => requests.userOf(window));
  const tidying = retention(cluster, {
    name: 'runs of schedules',
    days: config.workflowRetentionDays,
    removeBefore: (before, goesOn) => requests.removeBefore(before, goesOn),
    failed: failedIn('schedule retention'),
  });
  return { requests, stored, tidying };
}
