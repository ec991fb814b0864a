/**
 * The compensation of a workflow that failed or was cancelled: undoes the runs of its tasks, one after the other, the
 * latest first.
 *
 * - **undoing**: the compensation of the last run in `left` is a task run, like any other.
 * - **done**: `output` holds the compensations that did not succeed. The others ran nevertheless.
 *
 * No message cancels it: each compensation ends by itself, or by its timeout.
 */
import { assign, type PromiseActorLogic, setup } from 'xstate';
import { placeholder } from '../../define/placeholder.ts';
import type { CompletedTask } from '../../define/policies.ts';
import { type CompensationError, type FlatError, flatten } from '../../vocabulary/errors.ts';

/** A run to undo. */
export interface CompletedRun extends CompletedTask {
  label: string;
}

export interface CompensationContext {
  /** The runs that are not undone yet, in the order of their ends. */
  left: CompletedRun[];
  failures: CompensationError[];
}

type CompensationEvent =
  | { type: 'xstate.done.actor.compensation'; output: unknown }
  | { type: 'xstate.error.actor.compensation'; error: FlatError };

export const compensationMachine = setup({
  types: {} as {
    context: CompensationContext;
    events: CompensationEvent;
    input: { completed: CompletedRun[] };
    output: CompensationError[];
  },
  actors: { compensation: placeholder as PromiseActorLogic<unknown, CompletedRun | undefined> },
  guards: { isLast: ({ context }) => context.left.length <= 1 },
  actions: {
    next: assign({ left: ({ context }) => context.left.slice(0, -1) }),
    noteFailure: assign({
      failures: ({ context, event }) => {
        if (event.type !== 'xstate.error.actor.compensation') return context.failures;
        const { code, message } = flatten(event.error);
        return [...context.failures, { label: context.left.at(-1)?.label ?? '', code, message }];
      },
    }),
  },
}).createMachine({
  id: 'compensation',
  context: ({ input }) => ({ left: input?.completed ?? [], failures: [] }),
  initial: 'undoing',
  states: {
    undoing: {
      invoke: {
        id: 'compensation',
        src: 'compensation',
        input: ({ context }) => context.left.at(-1),
        onDone: [
          { guard: 'isLast', target: 'done', actions: 'next' },
          { target: 'undoing', reenter: true, actions: 'next' },
        ],
        onError: [
          { guard: 'isLast', target: 'done', actions: ['noteFailure', 'next'] },
          { target: 'undoing', reenter: true, actions: ['noteFailure', 'next'] },
        ],
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.failures,
});
