/**
 * The call: one execution of a task in a workflow, with its attempts.
 *
 * - **working.attempt**: the task's machine runs. Its end is the call's, unless it failed and may be tried again.
 * - **working.backoff**: waits before the next attempt; the wait doubles with each.
 * - **working.resting**: the BMC is left alone (`OBM_RESTING`), and the call waits until it may be tried. The wait is no
 *   attempt: the same attempt goes on afterwards. One that meets the next rest at once counts as failed, unless a command
 *   went out: then the BMC is asked for as long as the call may last. A rest that outlasts the call is not begun.
 * - **stopping**: the end is known, but work the task asked for has not ended yet: an act that was told to abort, a
 *   child workflow that was told to cancel. The graph hears of the end only afterwards, so that its next step never
 *   meets the last one on the same hardware.
 * - **ended**: `output` says how.
 *
 * Leaves `working` by: the task's end, `cancel`, or the timeout over all attempts. Leaves `stopping` by `quiet`
 * (nothing is open any more) or, when an act ignores its signal, after `GRACE_MS`.
 * A call that times out after it sent a command of which nothing is known ends with `OBM_UNANSWERED`.
 * Every event for a call carries `open`: how many pieces of its work have not ended, and what of the row it needs.
 */
import { assign, fromPromise, setup } from 'xstate';
import { type ErrorCode, type FlatError, flatten } from '../define/errors.ts';
import type { CallEnd } from '../define/states.ts';
import type { Retry } from '../define/task.ts';

/** How long an aborted act may take to end before the call ends without it. */
export const GRACE_MS = 10_000;
const MAX_BACKOFF_MS = 60_000;

export interface CallInput {
  retry: Retry | null;
  /** Over all attempts, in ms; null: none. */
  timeoutMs: number | null;
}

export interface CallResult {
  end: CallEnd;
  output: unknown;
  error: FlatError | null;
}

/** A failed attempt, as records show it. */
export interface AttemptError {
  attempt: number;
  /** ISO 8601. */
  at: string;
  code: string;
  message: string;
}

export interface CallContext extends CallInput {
  attempt: number;
  /** Of the newest attempts that failed, oldest first; absent: none has. */
  errors?: AttemptError[];
  /** The attempt that has waited for its BMC; absent: none has. */
  rested?: number;
  /** The wait for the BMC, in ms. */
  restMs?: number;
  result: CallResult | null;
}

/** What the engine adds to each event. */
export interface CallFacts {
  /** Pieces of work that have not ended. */
  open: number;
  /** ms since the epoch. */
  now: number;
  /** When the call times out; null: never. */
  endsAt: number | null;
  /** Commands of which nothing but the send is known. */
  unsettled: readonly string[];
}

type CallEvent = CallFacts &
  (
    | { type: 'cancel' }
    /** `said`: what the last of its work had to say of the cancellation. */
    | { type: 'quiet'; said?: string }
    | { type: 'xstate.done.actor.task'; output: unknown }
    | { type: 'xstate.error.actor.task'; error: FlatError }
  );

const failure = (code: ErrorCode, message: string): FlatError => ({ name: 'NodewrightError', code, message });

/** A failed task ends its call `cancelled` when what it waited for was cancelled, a child workflow for example. */
const endOf = (error: FlatError): CallEnd => (error.code === 'TASK_CANCELLED' ? 'cancelled' : 'failed');

function backoff({ retry, attempt }: CallContext): number {
  if (retry === null) return 0;
  return Math.min(retry.backoffMs * 2 ** (attempt - 1), retry.maxBackoffMs ?? MAX_BACKOFF_MS);
}

/** When the rest of the BMC ends; undefined: it does not rest, or the call ends before. */
function restEnd({ backoffUntil = '' }: FlatError, { endsAt }: CallFacts): number | undefined {
  const until = Date.parse(backoffUntil);
  return Number.isNaN(until) || (endsAt !== null && until >= endsAt) ? undefined : until;
}

const mayRest = ({ attempt, rested }: CallContext, error: FlatError, facts: CallFacts): boolean =>
  (error.sent === true || rested !== attempt) && restEnd(error, facts) !== undefined;

const outlasts = (error: FlatError, facts: CallFacts): boolean =>
  error.backoffUntil !== undefined && restEnd(error, facts) === undefined;

const mayRetry = ({ retry, attempt }: CallContext, error: FlatError, facts: CallFacts): boolean =>
  retry !== null &&
  attempt < retry.attempts &&
  error.retry !== false &&
  endOf(error) === 'failed' &&
  !outlasts(error, facts);

const KEPT_ERRORS = 10;
const KEPT_MESSAGE = 512;

const withError = ({ errors = [], attempt }: CallContext, { code, message }: FlatError, { now }: CallFacts) => {
  const error = { attempt, at: new Date(now).toISOString(), code, message: message.slice(0, KEPT_MESSAGE) };
  return [...errors, error].slice(-KEPT_ERRORS);
};

function late({ timeoutMs }: CallContext, { unsettled }: CallFacts): FlatError {
  const took = `the task took longer than ${timeoutMs} ms`;
  if (unsettled.length === 0) return failure('TASK_TIMEOUT', took);
  const sent = `"${unsettled.join('", "')}" went out to the obm, and it is not known whether it was carried out`;
  return failure('OBM_UNANSWERED', `${took}; ${sent}; it was not sent again, look at the machine`);
}

export const callMachine = setup({
  types: {} as { context: CallContext; input: CallInput; events: CallEvent; output: CallResult },
  actors: { task: fromPromise(() => new Promise(() => {})) },
  delays: {
    timeout: ({ context }) => context.timeoutMs ?? Number.POSITIVE_INFINITY,
    backoff: ({ context }) => backoff(context),
    rest: ({ context }) => context.restMs ?? 0,
    grace: GRACE_MS,
  },
  guards: {
    quiet: ({ event }) => event.open === 0,
    mayRetry: ({ context, event }) => event.type === 'xstate.error.actor.task' && mayRetry(context, event.error, event),
    mayRest: ({ context, event }) => event.type === 'xstate.error.actor.task' && mayRest(context, event.error, event),
  },
  actions: {
    succeed: assign(({ event }) =>
      event.type === 'xstate.done.actor.task'
        ? { result: { end: 'succeeded' as const, output: event.output, error: null } }
        : {},
    ),
    fail: assign(({ event }) =>
      event.type === 'xstate.error.actor.task'
        ? { result: { end: endOf(event.error), output: null, error: flatten(event.error) } }
        : {},
    ),
    timeOut: assign(({ context, event }) => ({
      result: { end: 'timeout' as const, output: null, error: late(context, event) },
    })),
    rest: assign(({ context, event }) => {
      if (event.type !== 'xstate.error.actor.task') return {};
      const until = restEnd(event.error, event) ?? event.now;
      return { rested: context.attempt, restMs: Math.max(0, until - event.now) };
    }),
    cancel: assign({
      result: { end: 'cancelled' as const, output: null, error: failure('TASK_CANCELLED', 'the task was cancelled') },
    }),
    hear: assign(({ context, event }) => {
      const result = context.result as CallResult;
      if (event.type !== 'quiet' || event.said === undefined || result.error === null) return {};
      return { result: { ...result, error: { ...result.error, message: `${result.error.message}; ${event.said}` } } };
    }),
    noteError: assign(({ context, event }) =>
      event.type === 'xstate.error.actor.task' ? { errors: withError(context, event.error, event) } : {},
    ),
    abandon: assign(({ context }) => {
      const result = context.result as CallResult;
      const message = `${result.error?.message ?? 'the task ended'}; its work did not stop within ${GRACE_MS} ms`;
      return { result: { ...result, error: failure('TASK_ABANDONED', message) } };
    }),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
  },
}).createMachine({
  id: 'call',
  context: ({ input }) => ({ ...input, attempt: 1, result: null }),
  initial: 'working',
  states: {
    working: {
      initial: 'attempt',
      on: {
        cancel: [
          { guard: 'quiet', target: 'ended', actions: 'cancel' },
          { target: 'stopping', actions: 'cancel' },
        ],
      },
      after: {
        timeout: [
          { guard: 'quiet', target: 'ended', actions: 'timeOut' },
          { target: 'stopping', actions: 'timeOut' },
        ],
      },
      states: {
        attempt: {
          invoke: {
            id: 'task',
            src: 'task',
            onDone: [
              { guard: 'quiet', target: '#call.ended', actions: 'succeed' },
              { target: '#call.stopping', actions: 'succeed' },
            ],
            onError: [
              { guard: 'mayRest', target: 'resting', actions: 'rest' },
              { guard: 'mayRetry', target: 'backoff', actions: 'noteError' },
              { guard: 'quiet', target: '#call.ended', actions: ['noteError', 'fail'] },
              { target: '#call.stopping', actions: ['noteError', 'fail'] },
            ],
          },
        },
        backoff: { after: { backoff: { target: 'attempt', actions: 'countAttempt' } } },
        resting: { after: { rest: 'attempt' } },
      },
    },
    stopping: {
      on: { quiet: { target: 'ended', actions: 'hear' } },
      after: { grace: { target: 'ended', actions: 'abandon' } },
    },
    ended: { type: 'final' },
  },
  output: ({ context }) => context.result as CallResult,
});
