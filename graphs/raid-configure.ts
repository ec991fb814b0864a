/**
 * Graph.Raid.Configure: makes a layout of RAID volumes on the node over Redfish. A controller that makes them at a restart gets one,
 * or two where volumes are deleted and others made, and is verified after each.
 *
 * - Options: `configure` with `volumes` (name, level, and serial numbers of the drives or a choice of them), `deleteOthers`,
 *   `controller`; `restart` with those of `Task.Obm.Node.Reboot`; `verify` with `waitMs`.
 * - Volumes that are there as wanted stay. If any part of the layout is not possible, nothing is changed.
 * - Irreversible: the content of the drives of new and deleted volumes is lost. `Graph.Raid.Plan` names them.
 * - Cancel, crash: volumes may be there or not; a new launch continues from what the controller has.
 *
 * Documentation: docs/operate/raid.md.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import { type ListedChange, layoutIn, type RaidLayout } from '../engine/hardware/raid/raid-layout.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import configure from '../tasks/raid-configure.ts';
import verify from '../tasks/raid-verify.ts';

interface Context {
  layout: RaidLayout;
  changes: ListedChange[];
  /** Those that the next restart makes. */
  staged: ListedChange[];
  restarts: number;
  error: GraphError | null;
}

/** One for volumes that are deleted, one for new ones. */
const MOST_RESTARTS = 2;

const STILL_WAITING: GraphError = {
  name: 'Error',
  code: 'RAID_UNCHANGED',
  message: `after ${MOST_RESTARTS} restarts the controller wants another one; look at its messages`,
};

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Raid.Configure',
    friendlyName: 'Configure RAID volumes',
    tasks: {
      configure: { task: configure, timeoutMs: 4 * HOUR_MS },
      restart: { task: reboot, timeoutMs: HOUR_MS / 4 },
      verify: { task: verify, timeoutMs: 2 * HOUR_MS },
    },
    examples: [
      {
        options: { configure: { volumes: [{ name: 'system', raid: 'RAID1', drives: { count: 2 } }] } },
        outputs: {
          configure: [
            { changes: [{ change: 'create', name: 'system', serials: ['A1', 'A2'] }], restart: true },
            { changes: [], restart: false },
          ],
        },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Raid.Configure',
  context: ({ input }) => ({
    layout: layoutIn((input?.options.configure ?? {}) as Partial<RaidLayout>),
    changes: [],
    staged: [],
    restarts: 0,
    error: null,
  }),
  initial: 'changing',
  states: {
    changing: {
      invoke: {
        src: 'configure',
        onDone: [
          {
            guard: ({ event }) => event.output?.restart !== true,
            target: 'changed',
            actions: assign({
              changes: ({ context, event }) => [...context.changes, ...(event.output?.changes ?? [])],
            }),
          },
          {
            guard: ({ context }) => context.restarts < MOST_RESTARTS,
            target: 'restarting',
            actions: assign(({ context, event }) => ({
              changes: [...context.changes, ...(event.output?.changes ?? [])],
              staged: event.output?.changes ?? [],
              restarts: context.restarts + 1,
            })),
          },
          { target: 'failed', actions: assign({ error: STILL_WAITING }) },
        ],
        onError: failTo('failed'),
      },
    },
    restarting: { invoke: { src: 'restart', onDone: 'verifying', onError: failTo('failed') } },
    verifying: {
      invoke: {
        src: 'verify',
        input: ({ context: { layout, staged } }) => ({ ...layout, changes: staged }),
        // Plans again: what is deleted makes room for what is new.
        onDone: 'changing',
        onError: failTo('failed'),
      },
    },
    changed: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ changes: context.changes }),
});
