/**
 * Updates firmware by the update service of the node's BMC (UpdateService): the BMC fetches an image (SimpleUpdate), or
 * this service sends it a stored file (multipart push). The node is interlocked from the command until its end: a machine
 * whose firmware is being written must keep its power.
 *
 * - **inspecting**: the versions before. Targets that have the wanted `version` end the task; nothing is sent.
 * - **sending**: the command, once in a task run, also over restarts of the daemon.
 * - **looking**, **pausing**: until the task of the BMC has ended. If its monitor is unknown, because the daemon died
 *   after the command, or lost, because the BMC restarted, the only task that runs on the BMC is followed.
 *
 * Output: `{ sent, before, task, monitor? }`, the latter of a task that waits for a restart. `Task.Firmware.Verify` compares the versions
 * afterwards.
 */
import { bmcRetry, defineTask, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';
import {
  type FirmwareOptions,
  firmwareOptions,
  firmwareViolations,
  followUpdate,
  inspect,
  sendUpdate,
  type UpdateEnd,
} from '../engine/hardware/redfish/firmware-activities.ts';
import { lookOptions, pauseOf } from '../engine/hardware/redfish/look.ts';
import { needsService, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Firmware.Update';
const optionsSchema = Type.Object(
  { ...serviceOptions, ...firmwareOptions, ...lookOptions },
  { additionalProperties: false },
);

interface Context extends TaskInput<FirmwareOptions> {
  before: Record<string, string>;
  sent: boolean;
  monitor: string | null;
  since: number | null;
  task: UpdateEnd['task'] | null;
}

interface Output extends Pick<Context, 'sent' | 'before' | 'task'> {
  monitor?: string;
}

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Update firmware',
  // The command is sent once; later attempts look at what became of it.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<FirmwareOptions>; output: Output },
    actors: { inspect, send: sendUpdate, follow: followUpdate },
    delays: { pause: ({ context }) => pauseOf(context.options) },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, before: {}, sent: false, monitor: null, since: null, task: null }),
    initial: 'inspecting',
    states: {
      inspecting: {
        invoke: {
          src: 'inspect',
          input: ({ context }) => context.options,
          onDone: [
            {
              guard: ({ event }) => event.output.isThere,
              target: 'done',
              actions: assign({ before: ({ event }) => event.output.before }),
            },
            { target: 'sending', actions: assign({ before: ({ event }) => event.output.before }) },
          ],
        },
      },
      sending: {
        invoke: {
          src: 'send',
          input: ({ context: { options, before } }) => ({ ...options, before }),
          onDone: {
            target: 'looking',
            actions: assign({ sent: true, monitor: ({ event }) => event.output.monitor }),
          },
        },
      },
      looking: {
        invoke: {
          src: 'follow',
          input: ({ context: { options, since, monitor } }) => ({ ...options, since, monitor }),
          onDone: [
            {
              guard: ({ event }) => event.output.again === true,
              target: 'pausing',
              actions: assign({ since: ({ event }) => event.output.since }),
            },
            { target: 'done', actions: assign({ task: ({ event }) => event.output.output?.task ?? null }) },
          ],
        },
      },
      pausing: { after: { pause: 'looking' } },
      done: { type: 'final' },
    },
    output: ({ context: { sent, before, task, monitor } }) => ({
      sent,
      before,
      task,
      ...(task === 'staged' && monitor !== null && { monitor }),
    }),
  }),
  probe: async () => ({ state: 'resumable' }),
  checkLaunch: async ({ options }) => firmwareViolations(options),
});
