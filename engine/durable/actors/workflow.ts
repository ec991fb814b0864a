/**
 * The workflow: one run of a graph, from its first step until none of its operations is running.
 *
 * - **running**: the graph's machine runs.
 * - **ending**: the outcome is known, and a cancel was sent to every task run; some still have operations to stop. The
 *   node stays occupied, so that no other workflow starts on hardware that is still in use.
 * - **compensating**: the workflow failed or was cancelled, and what its tasks did is undone (`compensation.ts`). The
 *   node stays occupied.
 * - **ended**: `output` holds the result. The node is free.
 *
 * Leaves `running` on the graph's end or on `cancel`, and `ending` when no task run is open. A `cancel` in `ending` or
 * `compensating` changes nothing: clients may repeat it. Every event carries `isQuiet`, whether no task run is open, and
 * `toCompensate`, the number of runs to undo.
 */
import { assign, setup } from 'xstate';
import { placeholder } from '../../define/placeholder.ts';
import { type CompensationError, type ErrorCode, type FlatError, flatten } from '../../vocabulary/errors.ts';
import type { WorkflowOutcome } from '../../vocabulary/states.ts';

export interface WorkflowResult {
  outcome: WorkflowOutcome;
  output: unknown;
  error: FlatError | null;
}

interface WorkflowContext {
  result: WorkflowResult | null;
}

interface WorkflowFacts {
  isQuiet: boolean;
  toCompensate: number;
}

type WorkflowEvent = WorkflowFacts &
  (
    | { type: 'cancel' }
    | { type: 'quiet' }
    /** `failed`: the graph ended in a state that its author tagged as failed. */
    | { type: 'xstate.done.actor.graph'; output: unknown; failed: FlatError | null }
    | { type: 'xstate.error.actor.graph'; error: FlatError }
    | { type: 'xstate.done.actor.compensation'; output: CompensationError[] }
    | { type: 'xstate.error.actor.compensation'; error: FlatError }
  );

const cancelled: WorkflowResult = { outcome: 'cancelled', output: null, error: null };

function failuresIn(event: WorkflowEvent): readonly CompensationError[] {
  if (event.type === 'xstate.done.actor.compensation') return event.output;
  if (event.type !== 'xstate.error.actor.compensation') return [];
  const { code, message } = flatten(event.error);
  return [{ label: 'compensation', code, message }];
}

/** Keeps the cause. A workflow that was cancelled has none: its error then reports the failed compensations only. */
export function withFailures(error: FlatError | null, compensations: readonly CompensationError[]): FlatError | null {
  if (compensations.length === 0) return error;
  if (error !== null) return { ...error, compensations };
  const labels = compensations.map(({ label }) => label).join(', ');
  const message = `the workflow was cancelled, and these compensations failed: ${labels}`;
  return { name: 'NodewrightError', code: 'COMPENSATION_FAILED' satisfies ErrorCode, message, compensations };
}

export const workflowMachine = setup({
  types: {} as { context: WorkflowContext; events: WorkflowEvent; output: WorkflowResult },
  actors: {
    graph: placeholder,
    compensation: placeholder,
  },
  guards: {
    quiet: ({ event }) => event.isQuiet,
    mustCompensate: ({ context, event }) =>
      event.isQuiet && event.toCompensate > 0 && context.result?.outcome !== 'succeeded',
  },
  actions: {
    cancel: assign({ result: cancelled }),
    fail: assign(({ event }) =>
      event.type === 'xstate.error.actor.graph'
        ? { result: { outcome: 'failed' as const, output: null, error: flatten(event.error, 'GRAPH_FAILED') } }
        : {},
    ),
    finish: assign(({ event }) => {
      if (event.type !== 'xstate.done.actor.graph') return {};
      const outcome = event.failed === null ? ('succeeded' as const) : ('failed' as const);
      return { result: { outcome, output: event.output ?? null, error: event.failed } };
    }),
    noteCompensations: assign(({ context, event }) => {
      const result = context.result as WorkflowResult;
      return { result: { ...result, error: withFailures(result.error, failuresIn(event)) } };
    }),
  },
}).createMachine({
  id: 'workflow',
  context: { result: null },
  initial: 'running',
  states: {
    running: {
      invoke: {
        id: 'graph',
        src: 'graph',
        onDone: { target: 'ending', actions: 'finish' },
        onError: { target: 'ending', actions: 'fail' },
      },
      on: { cancel: { target: 'ending', actions: 'cancel' } },
    },
    ending: {
      always: [
        { guard: 'mustCompensate', target: 'compensating' },
        { guard: 'quiet', target: 'ended' },
      ],
      on: { quiet: {} },
    },
    compensating: {
      invoke: {
        id: 'compensation',
        src: 'compensation',
        onDone: { target: 'ended', actions: 'noteCompensations' },
        onError: { target: 'ended', actions: 'noteCompensations' },
      },
    },
    ended: { type: 'final' },
  },
  output: ({ context }) => context.result as WorkflowResult,
});
