/**
 * The tail of the event log: the events that are not in the archive yet. Implemented by `redis-tail.ts` for several
 * processes, and by `document-tail.ts`, which writes to the archive immediately. Both pass
 * `test/conformance/event-log.ts`.
 *
 * 1. Positions grow over all processes, and events become visible in their order: `append` assigns them and makes them
 *    visible in one atomic step.
 * 2. Positions are taken from blocks that the store has reserved (`event-marks.ts`), so that none is used again after the
 *    tail was lost or restored from an older copy. The rest of such a block is skipped.
 */

/** Consecutive events as they are stored. */
export interface Stretch {
  /** The positions of the first and the last event; there is one for each position in between. */
  first: number;
  last: number;
  /** One JSON text for each event, separated by line feeds. */
  lines: string;
}

export interface TailView {
  /** Position of the newest event; undefined: the tail has lost it. */
  newest: number | undefined;
  /** Events up to this position may be in the archive only. */
  archived: number;
  /** The oldest events after the requested position that the tail has; not all of them if there are many. */
  stretches: Stretch[];
}

export interface EventTail {
  /**
   * Appends pieces of events in this order, all or none. When it resolves, they cannot be lost. The caller awaits it before
   * the next call.
   * @param isUrgent a reader waits for them; otherwise they may go with the next write, some ms later
   * @throws NodewrightError UNAVAILABLE
   */
  append(pieces: readonly (readonly string[])[], isUrgent: boolean): Promise<void>;
  /** @returns the position of the newest event, or one after which the next ones come */
  newestSeq(): Promise<number>;
  after(position: number): Promise<TailView>;
  /** Drops the events up to this position: the archive has them. */
  drop(upTo: number): Promise<void>;
}
