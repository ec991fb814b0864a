/**
 * The log of events: every published event, with a position that grows over all processes.
 *
 * Owns: the events, from the moment `take` resolves until their retention ends. Relies on the outbox to keep an event
 * until then, and otherwise to pass it again with the same id.
 *
 * 1. A reader that has read a position never finds a lower one later: positions are assigned in the order in which events
 *    become visible (`port.ts`).
 * 2. Events of one workflow are in their order, because the next one is published only when the previous one is here.
 * 3. An event is in the log twice, with the same id, if its process died, or lost Redis, before it knew that it was there.
 *
 * If the process dies
 * - before the event is appended: it is not published yet, as the row or the document that caused it says, and the sweep
 *   publishes it;
 * - after that, before `take` resolves: the same, and the log has it twice.
 */
import type { EventPage, EventQuery, LoggedBatch, LoggedEvent } from '../../api-port/events.ts';
import { batch } from '../../platform/lib/batch.ts';
import { pause } from '../../platform/lib/pause.ts';
import { EventsGone } from '../../vocabulary/errors.ts';
import { bodyText, eventIn, type Publication } from '../../vocabulary/event.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { EventSink } from '../broker/port.ts';
import type { EventArchive } from './event-archive.ts';
import { matcherOf } from './event-filter.ts';
import type { EventMarks } from './event-marks.ts';
import type { EventTail, Stretch } from './port.ts';

/** Calls of `take` that are appended together: one sync of a disk is for all of them. */
const TAKEN = 1_000;
/** Limits of one piece of the log: one entry of the tail, and at least one page of the archive. */
const PIECE_EVENTS = 200;
const PIECE_CHARACTERS = 256 * 1024;
/** Characters of events that one answer may have; one more batch may follow. */
const ANSWER_CHARACTERS = 8 * MIB;
/** ms after which a search for rare events is continued by the next request. */
const SEARCH_MS = 2_000;

/** A batch, and its size in characters. */
export interface SizedBatch extends LoggedBatch {
  size: number;
}

export class EventLog {
  readonly sink: EventSink;
  readonly #tail: EventTail;
  readonly #archive: EventArchive;
  readonly #marks: EventMarks;
  readonly #listeners = new Set<() => void>();
  readonly #appending = new Set<Promise<void>>();
  readonly #append = batch(async (taken: (readonly string[])[]) => {
    await this.#tail.append([...piecesOf(taken.flat())], this.#listeners.size > 0);
    for (const listener of this.#listeners) listener();
    return taken.map(() => undefined);
  }, TAKEN);

  constructor(tail: EventTail, archive: EventArchive, marks: EventMarks) {
    this.#tail = tail;
    this.#archive = archive;
    this.#marks = marks;
    this.sink = { take: (publications) => this.#take(publications) };
  }

  #take(publications: readonly Publication[]): Promise<void> | undefined {
    const texts: string[] = [];
    for (const publication of publications) {
      if (eventIn(publication) !== undefined) texts.push(bodyText(publication));
    }
    if (texts.length === 0) return undefined;
    const appending = this.#append(texts);
    const ended = appending
      .catch(() => {}) // the caller handles it
      .then(() => void this.#appending.delete(ended));
    this.#appending.add(ended);
    return appending;
  }

  /** Calls a listener after this process has appended events. @returns removes the listener */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A tail that was emptied has none: the archive knows the newest then. */
  async newestSeq(): Promise<number> {
    return Math.max(...(await Promise.all([this.#tail.newestSeq(), this.#archive.newestSeq()])));
  }

  /** Returns the oldest events after a position, not all of them if there are many. @throws EventsGone */
  async read(after: number): Promise<SizedBatch> {
    const { newest, archived, stretches } = await this.#tail.after(after);
    if (after >= archived || (newest !== undefined && after >= newest)) return batchOf(stretches, after);
    const pages = await this.#archive.after(after);
    // Read later than the pages: events are marked before they are removed.
    await this.check(after);
    return batchOf(pages.length > 0 ? pages : stretches, after);
  }

  /**
   * A position above all that were assigned is of another installation, or of data that a backup has replaced: a reader would wait
   * for the events of this log in vain until it has assigned as many.
   * @throws EventsGone
   */
  async check(after: number): Promise<void> {
    const { removed, reserved } = await this.#marks.read();
    const isAssigned = async () => after <= reserved || after <= (await this.newestSeq());
    if (after >= removed && (await isAssigned())) return;
    throw new EventsGone(after, (await this.#archive.oldestSeq(removed)) ?? removed + 1);
  }

  async list(query: EventQuery): Promise<EventPage> {
    if (query.after !== undefined) {
      await this.check(query.after);
      return this.#search(query, query.after);
    }
    for (;;) {
      const { removed } = await this.#marks.read();
      const begin = query.since === undefined ? removed : Math.max(removed, await this.#archive.before(query.since));
      try {
        return await this.#search(query, begin);
      } catch (error) {
        // The oldest were removed in the meantime.
        if (!(error instanceof EventsGone)) throw error;
      }
    }
  }

  /** Resolves when all events that were taken are appended, or have failed. */
  async whenSettled(): Promise<void> {
    await Promise.all(this.#appending);
  }

  async #search({ limit, filter }: EventQuery, after: number): Promise<EventPage> {
    const matches = matcherOf(filter);
    const items: LoggedEvent[] = [];
    const until = performance.now() + SEARCH_MS;
    let characters = 0;
    for (let position = after; ; ) {
      const { events, upTo, size } = await this.read(position);
      if (events.length === 0) return { items, next: undefined };
      const before = items.length;
      for (const event of events) {
        await pause();
        if (!matches(event)) continue;
        if (items.length === limit) return { items, next: items.at(-1)?.seq };
        items.push(event);
      }
      position = upTo;
      if (items.length > before) characters += size;
      if (performance.now() > until || characters > ANSWER_CHARACTERS) return { items, next: position };
    }
  }
}

function* piecesOf(texts: readonly string[]): Generator<string[]> {
  let piece: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (piece.length === PIECE_EVENTS || (piece.length > 0 && characters + text.length > PIECE_CHARACTERS)) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push(text);
    characters += text.length;
  }
  if (piece.length > 0) yield piece;
}

function batchOf(stretches: readonly Stretch[], after: number): SizedBatch {
  const events: LoggedEvent[] = [];
  let size = 0;
  for (const { first, lines } of stretches) {
    size += lines.length;
    for (const [at, text] of lines.split('\n').entries()) {
      if (first + at > after) events.push({ seq: first + at, ...JSON.parse(text) });
    }
  }
  return { events, upTo: Math.max(after, stretches.at(-1)?.last ?? 0), size };
}
