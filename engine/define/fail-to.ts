/** The reaction to a failed task that most states share: go to another state, and keep the error in the context. */
import { assign } from 'xstate';
import { type FlatError, flatten } from './errors.ts';

/** The error of a task, as a graph keeps it in its context. */
export type GraphError = Pick<FlatError, 'name' | 'code' | 'message'>;

interface Failing {
  error: GraphError | null;
}

const keep = assign<Failing, { type: string; error: unknown }, undefined, never, never>({
  error: ({ context, event }) => context.error ?? graphError(event.error),
});

function graphError(thrown: unknown): GraphError {
  const { name, code, message } = flatten(thrown);
  return { name, code, message };
}

/**
 * An `onError` that goes to the state `target` and keeps the first error in `error` of the graph's context, which begins
 * with null. A graph that ends in a state tagged `FAILED` fails its workflow with that error.
 */
export const failTo = <const Target extends string>(target: Target) => ({ target, actions: keep });
