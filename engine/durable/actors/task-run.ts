/**
 * The task run (`taskRun`): one execution of a task in a workflow, with its attempts.
 *
 * - **working.attempt**: the task's machine runs. Its end ends the task run, unless it failed and may be retried.
 * - **working.backoff**: waits before the next attempt, as its retry policy says (`define/retry.ts`).
 * - **working.circuitOpen**: the circuit of the BMC is open (`OBM_CIRCUIT_OPEN`), and the task run waits until it
 *   closes. The wait does not count as an attempt: the same attempt continues afterwards. If that attempt finds the circuit open
 *   again immediately, it has failed, unless a command was sent: then the BMC is polled until the task run times out.
 *   If the circuit stays open beyond that timeout, the task run does not wait.
 * - **paused**: the workflow is paused: the task run has not begun, or its next attempt has not. It has no timeout until
 *   `resume`, which begins the attempt with a new one.
 * - **stopping**: the result is known, but operations of the task are still running: an activity that was aborted, or a
 *   child workflow that was cancelled. The graph receives the end only afterwards, so that two steps never use the same
 *   hardware immediately.
 * - **ended**: `output` holds the result.
 *
 * `retry-now` ends `backoff` and `circuitOpen` immediately. Leaves `working` on the task's end, on `cancel`, or on the
 * timeout over all attempts. Leaves `stopping` on `quiet` (no operation is open) or, if an activity ignores its signal,
 * after `GRACE_MS`. A child workflow is not abandoned: it may compensate what it did, on the same node, and its end is
 * always reported. A task run that times out after it sent a command with an unknown outcome ends with
 * `OBM_UNANSWERED`. Every event for a task run carries `open`, the number of its open operations, and the facts that it
 * needs from the row.
 */
import { assign, setup } from 'xstate';
import { placeholder } from '../../define/placeholder.ts';
import { delayAfter, type Retry } from '../../define/retry.ts';
import { type ErrorCode, type FlatError, flatten } from '../../vocabulary/errors.ts';
import type { TaskRunEnd } from '../../vocabulary/states.ts';

/** How long an aborted activity may take to end before the task run ends without it. */
const GRACE_MS = 10_000;

export interface TaskRunInput {
  retry: Retry | null;
  /** The task is `once`, and only its graph wants retries: none follows unless nothing was carried out. */
  once?: true;
  /** Over all attempts, in ms; null: none. */
  timeoutMs: number | null;
}

export interface TaskRunResult {
  end: TaskRunEnd;
  output: unknown;
  error: FlatError | null;
}

/** A failed attempt, as shown in records. */
export interface AttemptError {
  attempt: number;
  /** ISO 8601. */
  at: string;
  code: string;
  message: string;
}

export interface TaskRunContext extends TaskRunInput {
  attempt: number;
  /** The newest failed attempts, oldest first; absent: none. */
  errors?: AttemptError[];
  /** The attempt that has waited for its BMC; absent: none. */
  waitedAttempt?: number | undefined;
  /** How long to wait for the BMC, in ms. */
  openMs?: number;
  result: TaskRunResult | null;
}

/** Facts that the engine adds to each event. */
export interface TaskRunFacts {
  /** Number of open operations. */
  open: number;
  /** Number of child workflows among them. */
  children: number;
  /** The workflow is paused. */
  paused: boolean;
  /** An operation of a `once` task succeeded, or a command was sent. */
  carriedOut: boolean;
  /** ms since the epoch. */
  now: number;
  /** When the task run times out; null: never. */
  endsAt: number | null;
  /** Commands that were sent and have an unknown outcome. */
  unsettled: readonly string[];
}

type TaskRunEvent = TaskRunFacts &
  (
    | { type: 'cancel' }
    | { type: 'retry-now' }
    | { type: 'resume' }
    /** `said`: the last operation's message about the cancellation. */
    | { type: 'quiet'; said?: string }
    | { type: 'xstate.done.actor.task'; output: unknown }
    | { type: 'xstate.error.actor.task'; error: FlatError }
  );

const failure = (code: ErrorCode, message: string): FlatError => ({ name: 'NodewrightError', code, message });

/**
 * A failed task ends its task run `cancelled` if the operation that it waited for was cancelled, such as a child
 * workflow.
 */
const endOf = (error: FlatError): TaskRunEnd => (error.code === 'TASK_CANCELLED' ? 'cancelled' : 'failed');

/** Returns when the circuit of the BMC closes; undefined: it is closed, or the task run ends earlier. */
function closingTime({ backoffUntil = '' }: FlatError, { endsAt }: TaskRunFacts): number | undefined {
  const until = Date.parse(backoffUntil);
  return Number.isNaN(until) || (endsAt !== null && until >= endsAt) ? undefined : until;
}

const mayWait = ({ attempt, waitedAttempt }: TaskRunContext, error: FlatError, facts: TaskRunFacts): boolean =>
  (error.sent === true || waitedAttempt !== attempt) && closingTime(error, facts) !== undefined;

const outlasts = (error: FlatError, facts: TaskRunFacts): boolean =>
  error.backoffUntil !== undefined && closingTime(error, facts) === undefined;

const mayRetry = ({ retry, attempt, once }: TaskRunContext, error: FlatError, facts: TaskRunFacts): boolean =>
  retry !== null &&
  attempt < retry.attempts &&
  error.retry !== false &&
  endOf(error) === 'failed' &&
  isListed(retry, error) &&
  (once !== true || (error.nothingDone === true && !facts.carriedOut)) &&
  !outlasts(error, facts);

const isListed = ({ on }: Retry, { code }: FlatError): boolean => on === undefined || on.includes(code);

const KEPT_ERRORS = 10;
const KEPT_MESSAGE = 512;

const withError = ({ errors = [], attempt }: TaskRunContext, { code, message }: FlatError, { now }: TaskRunFacts) => {
  const error = { attempt, at: new Date(now).toISOString(), code, message: message.slice(0, KEPT_MESSAGE) };
  return [...errors, error].slice(-KEPT_ERRORS);
};

function timeoutError({ timeoutMs }: TaskRunContext, { unsettled }: TaskRunFacts): FlatError {
  const took = `the task took longer than ${timeoutMs} ms`;
  if (unsettled.length === 0) return failure('TASK_TIMEOUT', took);
  const sent = `"${unsettled.join('", "')}" was sent to the obm, and it is unknown whether it was executed`;
  return failure('OBM_UNANSWERED', `${took}; ${sent}; it was not sent again, check the machine`);
}

export const taskRunMachine = setup({
  types: {} as { context: TaskRunContext; input: TaskRunInput; events: TaskRunEvent; output: TaskRunResult },
  actors: { task: placeholder },
  delays: {
    timeout: ({ context }) => context.timeoutMs ?? Number.POSITIVE_INFINITY,
    backoff: ({ context: { retry, attempt } }) => (retry === null ? 0 : delayAfter(retry, attempt)),
    circuit: ({ context }) => context.openMs ?? 0,
    grace: GRACE_MS,
  },
  guards: {
    quiet: ({ event }) => event.open === 0,
    hasChildren: ({ event }) => event.children > 0,
    paused: ({ event }) => event.paused,
    mayRetry: ({ context, event }) => event.type === 'xstate.error.actor.task' && mayRetry(context, event.error, event),
    mayWait: ({ context, event }) => event.type === 'xstate.error.actor.task' && mayWait(context, event.error, event),
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
      result: { end: 'timeout' as const, output: null, error: timeoutError(context, event) },
    })),
    wait: assign(({ context, event }) => {
      if (event.type !== 'xstate.error.actor.task') return {};
      const until = closingTime(event.error, event) ?? event.now;
      return { waitedAttempt: context.attempt, openMs: Math.max(0, until - event.now) };
    }),
    cancel: assign({
      result: { end: 'cancelled' as const, output: null, error: failure('TASK_CANCELLED', 'the task was cancelled') },
    }),
    hear: assign(({ context, event }) => {
      const result = context.result as TaskRunResult;
      if (event.type !== 'quiet' || event.said === undefined || result.error === null) return {};
      return { result: { ...result, error: { ...result.error, message: `${result.error.message}; ${event.said}` } } };
    }),
    noteError: assign(({ context, event }) =>
      event.type === 'xstate.error.actor.task' ? { errors: withError(context, event.error, event) } : {},
    ),
    abandon: assign(({ context }) => {
      const result = context.result as TaskRunResult;
      const message = `${result.error?.message ?? 'the task ended'}; its operations did not stop within ${GRACE_MS} ms`;
      return { result: { ...result, error: failure('TASK_ABANDONED', message) } };
    }),
    forgetWait: assign({ waitedAttempt: undefined }),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
  },
}).createMachine({
  id: 'call',
  context: ({ input }) => ({ attempt: 1, result: null, ...input }),
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
              { guard: 'mayWait', target: 'circuitOpen', actions: 'wait' },
              { guard: 'mayRetry', target: 'backoff', actions: 'noteError' },
              { guard: 'quiet', target: '#call.ended', actions: ['noteError', 'fail'] },
              { target: '#call.stopping', actions: ['noteError', 'fail'] },
            ],
          },
        },
        backoff: {
          on: { 'retry-now': { target: 'attempt', actions: 'countAttempt' } },
          after: {
            backoff: [
              { guard: 'paused', target: '#call.paused', actions: 'countAttempt' },
              { target: 'attempt', actions: 'countAttempt' },
            ],
          },
        },
        circuitOpen: {
          on: { 'retry-now': { target: 'attempt', actions: 'forgetWait' } },
          after: {
            circuit: [{ guard: 'paused', target: '#call.paused', actions: 'forgetWait' }, { target: 'attempt' }],
          },
        },
      },
    },
    paused: { on: { resume: 'working', cancel: { target: 'ended', actions: 'cancel' } } },
    stopping: {
      on: { quiet: { target: 'ended', actions: 'hear' } },
      after: {
        grace: [
          { guard: 'hasChildren', target: 'stopping', reenter: true },
          { target: 'ended', actions: 'abandon' },
        ],
      },
    },
    ended: { type: 'final' },
  },
  output: ({ context }) => context.result as TaskRunResult,
});
