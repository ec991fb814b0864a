/**
 * Waits for the firmware of a machine, which take minutes to hours: short looks with pauses in between. No worker is held
 * in the meantime, and a restart of the daemon loses nothing. A BMC that restarts itself does not answer for some
 * minutes.
 */
import { assign, setup } from 'xstate';
import { type ActivityScope, activity, type TaskInput, Type } from '../../define/index.ts';
import type { Activity } from '../../define/operation.ts';
import { codeOf, fieldOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { DAY_MS } from '../../vocabulary/units.ts';

export const lookOptions = {
  waitMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: DAY_MS, description: 'ms until it must be so; by default 30 minutes.' }),
  ),
  lookEveryMs: Type.Optional(
    Type.Integer({ minimum: 10, maximum: 600_000, description: 'ms between two looks; by default 15 seconds.' }),
  ),
};

export interface LookOptions {
  waitMs?: number;
  lookEveryMs?: number;
}

const DEFAULT_WAIT_MS = 30 * 60_000;
const CHECK_INTERVAL_MS = 15_000;

export const pauseOf = ({ lookEveryMs = CHECK_INTERVAL_MS }: LookOptions): number => lookEveryMs;

export interface Since {
  /** ms since 1970: the time of the first look; null: this is the first. */
  since: number | null;
}

export interface LookResult<Output> {
  since: number;
  /** true: not yet; look again. */
  again: boolean;
  output: Output | null;
}

/** Thrown by a look to say what is not so yet. */
export class NotYet extends Error {}

/**
 * Makes the activity of one look.
 * @param look undefined: not yet; a `NotYet` and an error of a BMC that does not answer now are the same
 * @param late makes the error when the time is over
 */
export const looking = <Input extends LookOptions & Since, Output>(
  look: (scope: ActivityScope<Input>) => Promise<Output | undefined>,
  late: (input: Input & Required<Pick<LookOptions, 'waitMs'>>, trouble: string) => Error,
): Activity<Input, LookResult<Output>> =>
  activity(async (scope: ActivityScope<Input>): Promise<LookResult<Output>> => {
    const { waitMs = DEFAULT_WAIT_MS, since: before } = scope.input;
    const since = before ?? Date.now();
    let trouble = '';
    try {
      const output = await look(scope);
      if (output !== undefined) return { since, again: false, output };
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!(error instanceof NotYet) && !isBmcAway(error)) throw error;
      trouble = messageOf(error);
    }
    if (Date.now() - since >= waitMs) throw late({ ...scope.input, waitMs }, trouble);
    return { since, again: true, output: null };
  });

const away: readonly string[] = ['OBM_UNREACHABLE', 'OBM_CIRCUIT_OPEN', 'OBM_BUSY', 'OBM_UNANSWERED'];

/** Whether the BMC may answer later: it is unreachable, or busy with itself. Accepts any error class. */
export const isBmcAway = (error: unknown): boolean =>
  away.includes(codeOf(error) ?? '') || Number(fieldOf(error, 'status') ?? 0) >= 500;

interface Context extends TaskInput<LookOptions>, Since {
  output: unknown;
}

/** XState's types are invariant, and those of the looks differ. */
type Look = Activity<LookOptions & Since, LookResult<unknown>>;

/** The machine of a task that only looks, until it has an output. @param look of the task's options and `Since` */
export const lookMachine = (id: string, look: Look) =>
  setup({
    types: {} as { context: Context; input: TaskInput<LookOptions>; output: unknown },
    actors: { look },
    delays: { pause: ({ context }) => pauseOf(context.options) },
  }).createMachine({
    id,
    context: ({ input }) => ({ ...input, since: null, output: null }),
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          src: 'look',
          input: ({ context: { options, since } }) => ({ ...options, since }),
          onDone: [
            {
              guard: ({ event }) => event.output.again === true,
              target: 'pausing',
              actions: assign({ since: ({ event }) => event.output.since }),
            },
            { target: 'done', actions: assign({ output: ({ event }) => event.output.output }) },
          ],
        },
      },
      pausing: { after: { pause: 'looking' } },
      done: { type: 'final' },
    },
    output: ({ context }: { context: Context }) => context.output,
  });
