/**
 * The workflow: one run of a graph, from its first step until none of its operations is running.
 *
 * - **running**: the graph's machine runs.
 * - **ending**: the outcome is known, and a cancel was sent to every task run; some still have operations to stop. The
 *   node stays occupied, so that no other workflow starts on hardware that is still in use.
 * - **ended**: `output` holds the result. The node is free.
 *
 * Leaves `running` on the graph's end or on `cancel`. Leaves `ending` on `quiet`. A `cancel` while ending does not
 * change the outcome. Every event carries `open`, the number of open task runs.
 */
import { assign, fromPromise, setup } from 'xstate';
import { type FlatError, flatten } from '../define/errors.ts';
import type { WorkflowOutcome } from '../define/states.ts';

export interface WorkflowResult {
  outcome: WorkflowOutcome;
  output: unknown;
  error: FlatError | null;
}

interface WorkflowContext {
  result: WorkflowResult | null;
}

type WorkflowEvent =
  | { type: 'cancel'; open: number }
  | { type: 'quiet'; open: number }
  /** `failed`: the graph ended in a state that its author tagged as failed. */
  | { type: 'xstate.done.actor.graph'; output: unknown; failed: FlatError | null; open: number }
  | { type: 'xstate.error.actor.graph'; error: FlatError; open: number };

const cancelled: WorkflowResult = { outcome: 'cancelled', output: null, error: null };

export const workflowMachine = setup({
  types: {} as { context: WorkflowContext; events: WorkflowEvent; output: WorkflowResult },
  actors: { graph: fromPromise(() => new Promise(() => {})) },
  guards: { quiet: ({ event }) => event.open === 0 },
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
        onDone: [
          { guard: 'quiet', target: 'ended', actions: 'finish' },
          { target: 'ending', actions: 'finish' },
        ],
        onError: [
          { guard: 'quiet', target: 'ended', actions: 'fail' },
          { target: 'ending', actions: 'fail' },
        ],
      },
      on: {
        cancel: [
          { guard: 'quiet', target: 'ended', actions: 'cancel' },
          { target: 'ending', actions: 'cancel' },
        ],
      },
    },
    ending: { on: { quiet: 'ended' } },
    ended: { type: 'final' },
  },
  output: ({ context }) => context.result as WorkflowResult,
});
