/** The engine's services for activities that erase drives: keep the node's power on, and sign the result. */

/** Why a node's power must not be touched. */
export interface InterlockEntry {
  /** Id of the owner; engaging it again changes nothing. */
  id: string;
  /** For users: what a power change would damage. */
  reason: string;
  /** ISO 8601: expires then, in case its owner never releases it. */
  until: string;
}

export interface Interlock {
  /** Rejects power actions on the node from now on. */
  engage(node: string, entry: InterlockEntry): Promise<void>;
  /** Does nothing if there is no such interlock. */
  release(id: string): Promise<void>;
}

/** A user's decision to run a power action despite an interlock. */
export interface Override {
  force: true;
  by: string;
  why: string;
}

/** An override, with the interlocks that it overrode. */
export interface OverriddenInterlock extends Override {
  reasons: string[];
  at: string;
}

/** The record of one drive; `engine/hardware/erase/record.ts` defines the fields. */
export type DriveRecord = Record<string, unknown>;
