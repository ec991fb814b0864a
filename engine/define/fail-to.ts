/** The reaction to a failed task that most states share: go to another state, and keep the error in the context. */
import { assign, type ErrorActorEvent, type EventObject, type MachineContext, type ProvidedActor } from 'xstate';
import { type FlatError, flatten } from '../vocabulary/errors.ts';
import { codeOf } from '../vocabulary/thrown-values.ts';

/** The error of a task, as a graph keeps it in its context. */
export type GraphError = Pick<FlatError, 'name' | 'code' | 'message'>;

interface FailingContext extends MachineContext {
  error: GraphError | null;
}

/** An action of XState for any graph whose context has an `error`. */
type Keep<Context extends FailingContext, Event extends EventObject, Actor extends ProvidedActor> = ReturnType<
  typeof assign<Context, ErrorActorEvent, undefined, Event, Actor>
>;

/** Returns the parts of an error that a graph keeps. */
export function graphError(thrown: unknown): GraphError {
  const { name, code, message } = flatten(thrown);
  return { name, code, message };
}

/**
 * The `onError` of a boot order. A machine may boot from the network without it, so the graph goes to `target`; but one that
 * boots from virtual media and whose BMC has no image cannot, so the graph goes to `failed`, as `failTo` does.
 */
export const failWithoutImage = <
  Context extends FailingContext,
  Event extends EventObject,
  Actor extends ProvidedActor,
>(
  target: string,
  failed: string,
) => [
  {
    guard: ({ event }: { event: ErrorActorEvent }) => codeOf(event.error) === 'OBM_NO_BOOT_IMAGE',
    ...failTo<Context, Event, Actor>(failed),
  },
  { target },
];

/**
 * An `onError` that goes to the state `target` and keeps the first error in `error` of the graph's context, which begins
 * with null. A graph that ends in a state tagged `FAILED` fails its workflow with that error.
 */
export function failTo<Context extends FailingContext, Event extends EventObject, Actor extends ProvidedActor>(
  target: string,
): { target: string; actions: Keep<Context, Event, Actor> } {
  const error = ({ context, event }: { context: FailingContext; event: ErrorActorEvent }) =>
    context.error ?? graphError(event.error);
  return { target, actions: assign({ error } as object) as Keep<Context, Event, Actor> };
}
