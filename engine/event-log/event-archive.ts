/**
 * The archive of the event log: pages of consecutive events. Pages are written in the order of their positions, one after
 * the other, so that a reader that sees a page has seen all before it.
 */
import { now } from '../lib/clock.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Stretch } from './port.ts';

export interface EventArchivePage extends Stretch {
  /** The first position, as a text that sorts by it. */
  id: string;
  /** When it was written; ISO 8601. */
  at: string;
}

/**
 * Lazy: the embedded log writes each event here at once, and its row has it until a later, synchronous write. On services
 * the tail has it until the page is on the disks of a majority.
 */
export const eventArchiveSpec: CollectionSpec = {
  name: 'eventlog',
  indexes: { last: 'number', at: 'text' },
  lazy: true,
  whole: [],
};

const DIGITS = 16;
/** Pages of the embedded log may be single events, those of services have hundreds. */
const FIRST_PAGES = 8;
const MOST_PAGES = 512;
const ENOUGH_CHARACTERS = 256 * 1024;
const REMOVED_PAGES = 500;

const idOf = (first: number): string => String(first).padStart(DIGITS, '0');

export class EventArchive {
  readonly #stored: Collection<EventArchivePage>;

  constructor(stored: Collection<EventArchivePage>) {
    this.#stored = stored;
  }

  /** @returns false: there is a page that begins at this position */
  async add({ first, last, lines }: Stretch): Promise<boolean> {
    const page = { id: idOf(first), first, last, at: new Date(now()).toISOString(), lines };
    return (await this.#stored.insertMissing([page]))[0] === true;
  }

  /** Returns the oldest events after a position, in pieces of some hundreds. */
  async after(position: number): Promise<Stretch[]> {
    const found: Stretch[] = [];
    let characters = 0;
    for (let limit = FIRST_PAGES; limit <= MOST_PAGES; limit *= 2) {
      const last = found.at(-1)?.last ?? position;
      const pages = await this.#stored.find({ last: { $gt: last } }, { sort: { last: 1 }, limit });
      found.push(...pages);
      characters += pages.reduce((sum, { lines }) => sum + lines.length, 0);
      if (pages.length < limit || characters >= ENOUGH_CHARACTERS) break;
    }
    return found;
  }

  /** @returns 0: there is none */
  async newest(): Promise<number> {
    const [page] = await this.#stored.pick(['last'], {}, { sort: { last: -1 }, limit: 1 });
    return page?.last ?? 0;
  }

  /** @returns undefined: there is none after it */
  async oldest(removed: number): Promise<number | undefined> {
    const [page] = await this.#stored.pick([], { last: { $gt: removed } }, { sort: { last: 1 }, limit: 1 });
    return page && Number(page.id);
  }

  /**
   * Removes a piece of the pages that were written before that time.
   * @param removing called with the last position before it is removed @returns whether there may be more
   */
  async removeBefore(at: string, removing: (upTo: number) => Promise<void>): Promise<boolean> {
    const old = await this.#stored.pick(['at', 'last'], {}, { sort: { last: 1 }, limit: REMOVED_PAGES });
    const kept = old.findIndex((page) => page.at > at);
    const upTo = (kept < 0 ? old : old.slice(0, kept)).at(-1)?.last;
    if (upTo === undefined) return false;
    await removing(upTo);
    await this.#stored.remove({ last: { $lte: upTo } });
    return kept < 0 && old.length === REMOVED_PAGES;
  }
}
