/**
 * Graph.Firmware.Update: updates firmware of the node over Redfish, and compares the versions before and after.
 *
 * - Options: `update` with `image` (a URL for the BMC) or `file` (a stored file), `targets`, `version`, `applyTime`; see
 *   docs/operate/firmware.md. `restart` with those of `Task.Obm.Node.Reboot`: it runs for `applyTime: OnReset` only.
 * - The command is sent once. Until its end the node is interlocked: no graph switches its power.
 * - Irreversible: firmware is replaced. Cancel: a BMC that has the command continues; the interlock stays until its end.
 * - Crash: the next daemon follows the update that runs on the BMC.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import update from '../tasks/firmware-update.ts';
import verify from '../tasks/firmware-verify.ts';
import reboot from '../tasks/obm-node-reboot.ts';

interface Context {
  options: { targets?: string[]; version?: string; applyTime?: string };
  before: Record<string, string>;
  /** The BMC's task that a restart begins. */
  monitor: string | null;
  isSent: boolean;
  versions: unknown;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Firmware.Update',
    friendlyName: 'Update Firmware',
    tasks: {
      update: { task: update, timeoutMs: 3 * HOUR_MS },
      restart: { task: reboot, timeoutMs: HOUR_MS / 4 },
      verify: { task: verify, timeoutMs: 2 * HOUR_MS },
    },
    examples: [
      {
        options: {
          update: {
            image: 'http://10.1.1.1/bios-2.1.0.bin',
            targets: ['BIOS'],
            version: '2.1.0',
            applyTime: 'OnReset',
          },
        },
      },
      { options: { update: { file: 'bmc.bin' } } },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Firmware.Update',
  context: ({ input }) => ({
    options: (input?.options.update ?? {}) as Context['options'],
    before: {},
    monitor: null,
    isSent: false,
    versions: null,
    error: null,
  }),
  initial: 'updating',
  states: {
    updating: {
      invoke: {
        src: 'update',
        onDone: [
          {
            guard: ({ context, event }) => context.options.applyTime === 'OnReset' && event.output?.sent === true,
            target: 'restarting',
            actions: assign(({ event }) => ({
              before: event.output?.before ?? {},
              monitor: event.output?.monitor ?? null,
              isSent: true,
            })),
          },
          {
            target: 'verifying',
            actions: assign(({ event }) => ({
              before: event.output?.before ?? {},
              isSent: event.output?.sent === true,
            })),
          },
        ],
        onError: failTo('failed'),
      },
    },
    restarting: { invoke: { src: 'restart', onDone: 'verifying', onError: failTo('failed') } },
    verifying: {
      invoke: {
        src: 'verify',
        input: ({ context: { options, before, monitor } }) => ({
          before,
          ...(monitor !== null && { monitor }),
          ...(options.targets && { targets: options.targets }),
          ...(options.version && { version: options.version }),
        }),
        onDone: { target: 'updated', actions: assign({ versions: ({ event }) => event.output ?? null }) },
        onError: failTo('failed'),
      },
    },
    updated: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context: { isSent, versions } }) => ({ sent: isSent, versions }),
});
