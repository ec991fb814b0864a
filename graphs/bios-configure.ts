/**
 * Graph.Bios.Configure: gives BIOS attributes of the node their values over Redfish, restarts it if they need that, and
 * waits until the BIOS reports them.
 *
 * - Options: `configure` with `attributes`; `restart` with those of `Task.Obm.Node.Reboot`; `verify` with `waitMs`.
 * - Attributes that have their values already change nothing, and the node is not restarted.
 * - Irreversible: unwritten data of the operating system is lost with the restart. Cancel, crash: the values may be
 *   pending; a new launch continues from what the BIOS has.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import configure from '../tasks/bios-configure.ts';
import verify from '../tasks/bios-verify.ts';
import reboot from '../tasks/obm-node-reboot.ts';

interface Context {
  attributes: Record<string, string | number | boolean | null>;
  changed: unknown;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Bios.Configure',
    friendlyName: 'Configure the BIOS',
    tasks: {
      configure: { task: configure, timeoutMs: HOUR_MS / 6 },
      restart: { task: reboot, timeoutMs: HOUR_MS / 4 },
      verify: { task: verify, timeoutMs: 2 * HOUR_MS },
    },
    examples: [
      {
        options: { configure: { attributes: { BootMode: 'Uefi' } } },
        outputs: { configure: [{ changed: { BootMode: { from: 'Legacy', to: 'Uefi' } }, restart: true }] },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Bios.Configure',
  context: ({ input }) => ({
    attributes: ((input?.options.configure as Partial<Context> | undefined)?.attributes ?? {}) as Context['attributes'],
    changed: {},
    error: null,
  }),
  initial: 'configuring',
  states: {
    configuring: {
      invoke: {
        src: 'configure',
        onDone: [
          {
            guard: ({ event }) => event.output?.restart === true,
            target: 'restarting',
            actions: assign({ changed: ({ event }) => event.output?.changed ?? {} }),
          },
          { target: 'configured', actions: assign({ changed: ({ event }) => event.output?.changed ?? {} }) },
        ],
        onError: failTo('failed'),
      },
    },
    restarting: { invoke: { src: 'restart', onDone: 'verifying', onError: failTo('failed') } },
    verifying: {
      invoke: {
        src: 'verify',
        input: ({ context }) => ({ attributes: context.attributes }),
        onDone: 'configured',
        onError: failTo('failed'),
      },
    },
    configured: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ changed: context.changed }),
});
