/**
 * The call: one execution of a task in a workflow, with its attempts.
 *
 * - **working.attempt**: the task's machine runs. Its end is the call's, unless it failed and may be tried again.
 * - **working.backoff**: waits before the next attempt; the wait doubles with each.
 * - **stopping**: the end is known, but work the task asked for has not ended yet: an act that was told to abort, a
 *   child workflow that was told to cancel. The graph hears of the end only afterwards, so that its next step never
 *   meets the last one on the same hardware.
 * - **ended**: `output` says how.
 *
 * Leaves `working` by: the task's end, `cancel`, or the timeout over all attempts. Leaves `stopping` by `quiet`
 * (nothing is open any more) or, when an act ignores its signal, after `GRACE_MS`.
 * Every event for a call carries `open`: how many pieces of its work have not ended.
 */
import { assign, fromPromise, setup } from 'xstate';
import { type FlatError, flatten } from '../define/errors.ts';
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

interface CallContext extends CallInput {
  attempt: number;
  result: CallResult | null;
}

type CallEvent =
  | { type: 'cancel'; open: number }
  /** `said`: what the last of its work had to say of the cancellation. */
  | { type: 'quiet'; open: number; said?: string }
  | { type: 'xstate.done.actor.task'; output: unknown; open: number }
  | { type: 'xstate.error.actor.task'; error: FlatError; open: number };

const failure = (code: string, message: string): FlatError => ({ name: 'NodewrightError', code, message });

/** A failed task ends its call `cancelled` when what it waited for was cancelled, a child workflow for example. */
const endOf = (error: FlatError): CallEnd => (error.code === 'TASK_CANCELLED' ? 'cancelled' : 'failed');

function backoff({ retry, attempt }: CallContext): number {
  if (retry === null) return 0;
  return Math.min(retry.backoffMs * 2 ** (attempt - 1), retry.maxBackoffMs ?? MAX_BACKOFF_MS);
}

const mayRetry = ({ retry, attempt }: CallContext, error: FlatError): boolean =>
  retry !== null && attempt < retry.attempts && error.retry !== false && endOf(error) === 'failed';

export const callMachine = setup({
  types: {} as { context: CallContext; input: CallInput; events: CallEvent; output: CallResult },
  actors: { task: fromPromise(() => new Promise(() => {})) },
  delays: {
    timeout: ({ context }) => context.timeoutMs ?? Number.POSITIVE_INFINITY,
    backoff: ({ context }) => backoff(context),
    grace: GRACE_MS,
  },
  guards: {
    quiet: ({ event }) => event.open === 0,
    mayRetry: ({ context, event }) => event.type === 'xstate.error.actor.task' && mayRetry(context, event.error),
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
    timeOut: assign(({ context }) => ({
      result: {
        end: 'timeout' as const,
        output: null,
        error: failure('TASK_TIMEOUT', `the task took longer than ${context.timeoutMs} ms`),
      },
    })),
    cancel: assign({
      result: { end: 'cancelled' as const, output: null, error: failure('TASK_CANCELLED', 'the task was cancelled') },
    }),
    hear: assign(({ context, event }) => {
      const result = context.result as CallResult;
      if (event.type !== 'quiet' || event.said === undefined || result.error === null) return {};
      return { result: { ...result, error: { ...result.error, message: `${result.error.message}; ${event.said}` } } };
    }),
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
              { guard: 'mayRetry', target: 'backoff' },
              { guard: 'quiet', target: '#call.ended', actions: 'fail' },
              { target: '#call.stopping', actions: 'fail' },
            ],
          },
        },
        backoff: { after: { backoff: { target: 'attempt', actions: 'countAttempt' } } },
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
