/** Opens the work on many nodes: rollouts, actions on many workflows, failures, tickets, schedules, rules, baselines. */
import { openBaselines } from './baselines.ts';
import { openBulkActions } from './bulk-actions.ts';
import type { OpenDefinitions } from './definitions.ts';
import { openFailures } from './failures.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import { openRehearsals } from './rehearsals.ts';
import { openRollouts } from './rollouts.ts';
import { openRules } from './rules.ts';
import { openSchedules } from './schedules.ts';
import { openTickets } from './tickets.ts';
import type { openWorkflows } from './workflows.ts';

export async function openFleet(
  foundation: Foundation,
  definitions: OpenDefinitions,
  inventory: Inventory,
  work: Awaited<ReturnType<typeof openWorkflows>>,
) {
  const rollouts = await openRollouts(foundation, definitions, inventory, work);
  const bulkActions = await openBulkActions(foundation, work);
  const failures = await openFailures(foundation, inventory, work, bulkActions);
  const tickets = openTickets(foundation, inventory, work, rollouts);
  const schedules = await openSchedules(foundation, definitions, inventory, work, rollouts);
  const rules = await openRules(foundation, definitions, inventory, work);
  const rehearsals = await openRehearsals(foundation, {
    rollouts: rollouts.requests,
    windows: rollouts.windows,
    nodes: inventory.nodes.nodes,
    workflows: work.workflows,
  });
  const baselines = await openBaselines(foundation, inventory);
  const parts = [
    ...[rollouts.requests, rollouts.tidying],
    ...[bulkActions.requests, bulkActions.tidying],
    failures.tidying,
    ...tickets.work,
    ...[schedules.requests, schedules.tidying],
    ...[rules.requests, rules.tidying],
  ];
  return {
    requests: {
      windows: rollouts.windows,
      rollouts: rollouts.requests,
      rehearsals,
      bulkActions: bulkActions.requests,
      failures: failures.requests,
      tickets: tickets.requests,
      schedules: schedules.requests,
      rules: rules.requests,
      baselines: baselines.requests,
    },
    /** Collections with the field `owner`, by the name of one. */
    owned: { rollout: rollouts.stored, action: bulkActions.stored, schedule: schedules.stored, ticket: tickets.stored },
    waits: rollouts.waits,
    compareBaselines: baselines.compare,
    async start(): Promise<void> {
      for (const part of parts) await part?.start();
    },
    /** Rules and schedules first: they begin work of the others. */
    async close(): Promise<void> {
      rehearsals.close();
      for (const part of parts.toReversed()) await part?.close();
    },
  };
}
