/**
 * Makes a layout of RAID volumes on the node, over Redfish. Volumes that are there as wanted stay. Nothing is changed if any part of
 * the layout is not possible. The content of the drives of a deleted or a new volume is lost.
 *
 * - **sending**: plans again from what the controllers show, and sends the next command, once in a task run.
 * - **looking**, **pausing**: until the controller shows its effect.
 *
 * Output: `{ changes, restart }`: what was changed, and whether the machine has to restart for it; `Task.Raid.Verify` waits for that.
 */
import { bmcRetry, defineTask, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';
import {
  type ListedChange,
  layoutOptions,
  layoutViolations,
  namedSerials,
} from '../engine/hardware/raid/raid-layout.ts';
import { lookOptions, pauseOf } from '../engine/hardware/redfish/look.ts';
import {
  followChange,
  type LayoutOptions,
  type SentChange,
  sendChange,
} from '../engine/hardware/redfish/raid-activities.ts';
import { needsService, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Raid.Configure';
const optionsSchema = Type.Object(
  { ...serviceOptions, ...lookOptions, ...layoutOptions },
  { additionalProperties: false },
);

interface Context extends TaskInput<LayoutOptions> {
  changes: ListedChange[];
  change: ListedChange | null;
  monitor: string | null;
  since: number | null;
  restart: boolean;
}

type Output = Pick<Context, 'changes' | 'restart'>;

interface SentEvent {
  context: Context;
  event: { output: SentChange };
}

/** A change that is sent again, because its process died, is listed once. */
function noteChange({ context: { changes }, event: { output } }: SentEvent): ListedChange[] {
  const { change = null } = output;
  const isListed = changes.some((one) => one.change === change?.change && one.name === change.name);
  return change === null || isListed ? changes : [...changes, change];
}

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Configure RAID volumes',
  // Each command is sent once; later attempts look at what became of it.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsService,
  destructive: true,
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<LayoutOptions>; output: Output },
    actors: { send: sendChange, follow: followChange },
    delays: { pause: ({ context }) => pauseOf(context.options) },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, changes: [], change: null, monitor: null, since: null, restart: false }),
    initial: 'sending',
    states: {
      sending: {
        invoke: {
          src: 'send',
          input: ({ context }) => context.options,
          onDone: [
            {
              guard: ({ event }) => event.output.next === 'look',
              target: 'looking',
              actions: assign({
                changes: noteChange,
                change: ({ event }) => event.output.change,
                monitor: ({ event }) => event.output.monitor,
                since: null,
              }),
            },
            {
              guard: ({ event }) => event.output.next === 'send',
              target: 'sending',
              reenter: true,
              actions: assign({ changes: noteChange }),
            },
            { target: 'done', actions: assign({ restart: ({ event }) => event.output.restart === true }) },
          ],
        },
      },
      looking: {
        invoke: {
          src: 'follow',
          input: ({ context: { options, since, monitor, change } }) => ({ ...options, since, monitor, change }),
          onDone: [
            {
              guard: ({ event }) => event.output.again === true,
              target: 'pausing',
              actions: assign({ since: ({ event }) => event.output.since }),
            },
            { target: 'sending' },
          ],
        },
      },
      pausing: { after: { pause: 'looking' } },
      done: { type: 'final' },
    },
    output: ({ context: { changes, restart } }) => ({ changes, restart }),
  }),
  probe: async () => ({ state: 'resumable' }),
  drives: async ({ options }) => namedSerials(options as Partial<LayoutOptions>),
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<LayoutOptions>).volumes ?? []),
});
