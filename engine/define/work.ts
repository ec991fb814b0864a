/**
 * Work: what a task asks the world for. A task machine `invoke`s it; the engine starts it only after the step that
 * asked for it is saved, and brings its end back as the machine's `onDone` or `onError`.
 *
 * - an **act** is a function that a worker runs (the only place where code touches the world),
 * - **notification** waits for the node's next notification, and gives its parameters,
 * - **childGraph** runs another graph and waits for its end.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';

/** What an act gets, besides what its `invoke` gives as `input`. */
export interface ActScope<Input> {
  input: Input;
  /** Fires when the call is cancelled or times out, or the daemon stops. An act has to end soon after it. */
  signal: AbortSignal;
  /** The same for every attempt at this piece of work: hand it on where the other side can deduplicate. */
  workId: string;
  /** Counts from 1; more than 1 after a retry. */
  attempt: number;
  nodeId: string | null;
  /** Looks at the node, its catalogs and the daemon's own settings. */
  world: World;
}

/** The engine's side that acts may use. Narrow on purpose: an act that needs more is a new kind of work. */
export interface World {
  /** The allow-list for `Task.Shell.Command`: absolute paths of executables. */
  readonly shellCommands: readonly string[];
}

export type Act<Input, Output> = PromiseActorLogic<Output, Input>;

/** The function behind an act, for the worker that runs it. */
export type ActFunction = (scope: ActScope<unknown>) => Promise<unknown>;

/** Makes an act out of a function. It is promise logic, so the machine also runs in XState's own interpreter. */
export function act<Input, Output>(run: (scope: ActScope<Input>) => Promise<Output>): Act<Input, Output> {
  // XState types the creator with its own arguments; the engine calls it with an ActScope (`actFunction` below).
  return fromPromise(run as unknown as Parameters<typeof fromPromise<Output, Input>>[0]);
}

const KIND = Symbol.for('nodewright.work');
export type WorkKind = 'act' | 'notification' | 'graph';

const waiting = <Input, Output>(kind: WorkKind): Act<Input, Output> => {
  const logic = fromPromise<Output, Input>(() => new Promise<Output>(() => {}));
  return Object.assign(logic, { [KIND]: kind });
};

export interface ChildGraphInput {
  name: string;
  options: Record<string, unknown>;
  /** The node to run on; absent: the parent's node, which the child shares. */
  nodeId?: string;
}

/** Ends with the parameters of the first notification for the node that no other call has taken. */
export const notification: Act<undefined, Record<string, unknown>> = waiting('notification');

/** Ends when the child workflow has; fails when it did not succeed. Cancelled with the call. */
export const childGraph: Act<ChildGraphInput, { workflowId: string; output: unknown }> = waiting('graph');

/** What kind of work a logic is; undefined for anything that a task may not invoke. */
export function workKind(logic: unknown): WorkKind | undefined {
  if (typeof logic !== 'object' || logic === null) return undefined;
  if (KIND in logic) return (logic as { [KIND]: WorkKind })[KIND];
  return 'config' in logic && typeof logic.config === 'function' ? 'act' : undefined;
}

export const actFunction = (logic: unknown): ActFunction => (logic as { config: ActFunction }).config;
