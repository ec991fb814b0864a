/**
 * The archive of the event log: pages of consecutive events. Pages are written in the order of their positions, one after
 * the other, so that a reader that sees a page has seen all before it.
 */
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { now } from '../../platform/lib/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import type { Stretch } from './port.ts';

export interface EventArchivePage extends Stretch {
  /** The first position, as a text that sorts by it. */
  id: string;
  /** When it was written; ISO 8601. */
  at: string;
  /** The lines, compressed, in base64; then there are no others. */
  packed?: string;
}

/**
 * Lazy: the embedded log writes each event here immediately, and its row has it until a later, synchronous write. On
 * services the tail has it until the page is on the disks of a majority.
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
const ENOUGH_CHARACTERS = 512 * 1024;
const REMOVED_PAGES = 500;

/** Characters below which compression is not worth it. */
const LEAST_PACKED = 1_000;

async function unpackPage({ packed, ...page }: EventArchivePage): Promise<EventArchivePage> {
  if (packed === undefined) return page;
  return { ...page, lines: (await promisify(inflateRaw)(Buffer.from(packed, 'base64'))).toString() };
}

const idOf = (first: number): string => String(first).padStart(DIGITS, '0');

export class EventArchive {
  readonly #stored: Collection<EventArchivePage>;

  constructor(stored: Collection<EventArchivePage>) {
    this.#stored = stored;
  }

  /**
   * @param stretches several only if the store makes them visible together
   * @returns false: there is a page that begins at one of these positions
   */
  async add(stretches: readonly Stretch[]): Promise<boolean> {
    const at = new Date(now()).toISOString();
    const pages = stretches.map(({ first, last, lines }) => ({ id: idOf(first), first, last, at, lines }));
    return (await this.#stored.insertMissing(pages)).every(Boolean);
  }

  /** The same for one that nothing waits for: compressed, which costs the store a fraction. */
  async pack({ first, last, lines }: Stretch): Promise<boolean> {
    if (lines.length < LEAST_PACKED) return this.add([{ first, last, lines }]);
    const packed = (await promisify(deflateRaw)(lines, { level: constants.Z_BEST_SPEED })).toString('base64');
    const page = { id: idOf(first), first, last, at: new Date(now()).toISOString(), lines: '', packed };
    return (await this.#stored.insertMissing([page]))[0] === true;
  }

  /** Returns the oldest events after a position, in pieces of some hundreds. */
  async after(position: number): Promise<Stretch[]> {
    const found: Stretch[] = [];
    let characters = 0;
    for (let limit = FIRST_PAGES; limit <= MOST_PAGES; limit *= 2) {
      const last = found.at(-1)?.last ?? position;
      const stored = await this.#stored.find({ last: { $gt: last } }, { sort: { last: 1 }, limit });
      const pages = await Promise.all(stored.map(unpackPage));
      found.push(...pages);
      characters += pages.reduce((sum, { lines }) => sum + lines.length, 0);
      if (pages.length < limit || characters >= ENOUGH_CHARACTERS) break;
    }
    return found;
  }

  /** Returns a position before that of every event that was written at this time or later. @param at ISO 8601, UTC */
  async before(at: string): Promise<number> {
    const [page] = await this.#stored.pick([], { at: { $gte: at } }, { sort: { last: 1 }, limit: 1 });
    return page === undefined ? this.newestSeq() : Number(page.id) - 1;
  }

  /** @returns 0: there is none */
  async newestSeq(): Promise<number> {
    const [page] = await this.#stored.pick(['last'], {}, { sort: { last: -1 }, limit: 1 });
    return page?.last ?? 0;
  }

  /** @returns undefined: there is none after it */
  async oldestSeq(removed: number): Promise<number | undefined> {
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
