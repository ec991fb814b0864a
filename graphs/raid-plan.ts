/**
 * Graph.Raid.Plan: finds out what a layout of RAID volumes would change on the node, over Redfish. It changes nothing.
 *
 * - Options: `plan` with `volumes`, `deleteOthers`, `controller`, as `Graph.Raid.Configure`.
 * - Output: the volumes that would be deleted and created, with the serial numbers of the drives whose content would be lost.
 *
 * Documentation: docs/operate/raid.md.
 */
import { defineGraph, FAILED, failTo, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import plan from '../tasks/raid-plan.ts';

interface Context {
  plan: unknown;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Raid.Plan',
    friendlyName: 'Plan RAID volumes',
    tasks: { plan: { task: plan, timeoutMs: 10 * MINUTE_MS } },
    examples: [{ options: { plan: { volumes: [{ name: 'system', raid: 'RAID1', drives: { count: 2 } }] } } }],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Raid.Plan',
  context: { plan: null, error: null },
  initial: 'planning',
  states: {
    planning: {
      invoke: {
        src: 'plan',
        onDone: { target: 'planned', actions: assign({ plan: ({ event }) => event.output ?? null }) },
        onError: failTo('failed'),
      },
    },
    planned: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => context.plan,
});
