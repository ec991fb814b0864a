/**
 * Graph.Raid.Clear: deletes all RAID volumes of the node over Redfish, or those of one controller.
 *
 * - Options: `clear` with `controller`; `restart` with those of `Task.Obm.Node.Reboot`; `verify` with `waitMs`.
 * - Irreversible: the content of the volumes is lost. It is no erase: `Graph.Drive.SecureErase` proves that nothing can be read.
 * - Cancel, crash: some volumes may be gone; a new launch deletes the others.
 *
 * Documentation: docs/operate/raid.md.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import reboot from '../tasks/obm-node-reboot.ts';
import configure from '../tasks/raid-configure.ts';
import verify from '../tasks/raid-verify.ts';

interface Context {
  controller: string | null;
  changes: unknown;
  error: GraphError | null;
}

const EMPTY: { volumes: never[]; deleteOthers: true } = { volumes: [], deleteOthers: true };

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Raid.Clear',
    friendlyName: 'Delete RAID volumes',
    tasks: {
      clear: { task: configure, timeoutMs: 4 * HOUR_MS },
      restart: { task: reboot, timeoutMs: HOUR_MS / 4 },
      verify: { task: verify, timeoutMs: 2 * HOUR_MS },
    },
    options: { clear: EMPTY },
    examples: [
      {
        options: {},
        outputs: { clear: [{ changes: [{ change: 'delete', name: 'system', serials: ['A1', 'A2'] }], restart: true }] },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Raid.Clear',
  context: ({ input }) => ({
    controller: (input?.options.clear as { controller?: string } | undefined)?.controller ?? null,
    changes: [],
    error: null,
  }),
  initial: 'changing',
  states: {
    changing: {
      invoke: {
        src: 'clear',
        onDone: [
          {
            guard: ({ event }) => event.output?.restart === true,
            target: 'restarting',
            actions: assign({ changes: ({ event }) => event.output?.changes ?? [] }),
          },
          { target: 'changed', actions: assign({ changes: ({ event }) => event.output?.changes ?? [] }) },
        ],
        onError: failTo('failed'),
      },
    },
    restarting: { invoke: { src: 'restart', onDone: 'verifying', onError: failTo('failed') } },
    verifying: {
      invoke: {
        src: 'verify',
        input: ({ context: { controller } }) => ({ ...EMPTY, ...(controller !== null && { controller }) }),
        onDone: 'changed',
        onError: failTo('failed'),
      },
    },
    changed: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ changes: context.changes }),
});
