/** What acts that erase drives ask of the engine: to keep the node's power on, and to sign what was done. */

/** Why a node's power must not be touched. */
export interface InterlockEntry {
  /** Of whoever engages it; the same again changes nothing. */
  id: string;
  /** For people: what would be harmed. */
  reason: string;
  /** ISO 8601: it does not hold longer, should nobody be left to release it. */
  until: string;
}

export interface Interlock {
  /** From now on power actions on the node are refused. */
  engage(node: string, entry: InterlockEntry): Promise<void>;
  /** Nothing is there: no harm. */
  release(id: string): Promise<void>;
}

/** Somebody takes the responsibility for a power action in spite of an interlock. */
export interface Override {
  force: true;
  by: string;
  why: string;
}

/** What an override went against. */
export interface Overridden extends Override {
  reasons: string[];
  at: string;
}

/** What was done to one drive; `tasks/erase/_record.ts` says what stands in it. */
export type DriveRecord = Record<string, unknown>;
