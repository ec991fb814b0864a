/** Two marks of the event log, in one document: the positions that are reserved, and those whose events were removed. */
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';

export interface StoredMarks {
  id: string;
  /** No position up to this one may be assigned, except by the process that reserved it. */
  reserved: number;
  /** Events up to this position are gone. */
  removed: number;
}

export const eventMarkSpec: CollectionSpec = { name: 'eventmarks', indexes: {} };

/** Positions that are reserved by one write. A restart skips at most this number. */
const BLOCK = 10_000;
const ID = 'log';
const initial: StoredMarks = { id: ID, reserved: 0, removed: 0 };

export interface PositionBlock {
  first: number;
  last: number;
}

export class EventMarks {
  readonly #stored: Collection<StoredMarks>;

  private constructor(stored: Collection<StoredMarks>) {
    this.#stored = stored;
  }

  static async open(stored: Collection<StoredMarks>): Promise<EventMarks> {
    await stored.insertMissing([initial]);
    return new EventMarks(stored);
  }

  /** Reserves positions above all that were reserved before. @param least number of positions */
  async reserve(least: number): Promise<PositionBlock> {
    const count = Math.max(BLOCK, least);
    const marks = await this.#stored.update({ id: ID }, { $inc: { reserved: count } });
    if (marks === undefined) throw new Error('the marks of the event log are missing');
    return { first: marks.reserved - count + 1, last: marks.reserved };
  }

  async read(): Promise<StoredMarks> {
    return (await this.#stored.get(ID)) ?? initial;
  }

  /** Marks events as removed, before they are. */
  async remove(upTo: number): Promise<void> {
    await this.#stored.update({ id: ID, removed: { $lt: upTo } }, { $set: { removed: upTo } });
  }
}
