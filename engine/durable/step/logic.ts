/** The logic of an actor, between stored snapshots: what the interpreter knows of a machine. */
import type { EventObject } from 'xstate';
import type { Action } from './pure.ts';
import type { Snapshot } from './row.ts';

/** A machine after one event. */
export interface LogicStep {
  snapshot: Snapshot;
  /** Its actions, in order; none was executed. */
  actions: Action[];
  /** Whether a child with this invoke id has no place any more: its machine, or the state that invoked it, was left. */
  isOver(invokeId: string): boolean;
  /** Absent: it has not ended. */
  ending?: Ending;
}

export type Ending = { output: unknown; tags: ReadonlySet<string>; value: unknown } | { error: unknown };

export interface Logic {
  begin(input: unknown): LogicStep;
  next(before: Snapshot, event: EventObject): LogicStep;
}
