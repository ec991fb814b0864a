/**
 * Transactional outbox of a collection: each change and its pending events are one write, so that no event is lost when
 * the process dies before the event is in the outbox.
 *
 * 1. A note is stored in the document (`untold`) from the change until its event has been published; `toTell` counts
 *    the notes, and the sweep searches by it.
 * 2. Deleting a document deletes its notes; they are therefore written to a tombstone first (`removals.ts`).
 * 3. Any process that finds a note may publish it: its event has the note's id, however often it is published.
 */
import { pages } from '../runtime/pages.ts';
import type { Collection, Document, Filter, Update } from '../store/port.ts';
import type { Note, Untold } from './node-events.ts';
import { isLeft, type Removals } from './removals.ts';

export interface Noted extends Document {
  /** By event id. */
  untold?: Record<string, Note>;
  toTell?: number;
}

/** The index that a collection with pending events needs. */
export const notedIndex = { toTell: 'number' } as const;

const kept = (notes: readonly Note[]): Noted['untold'] => Object.fromEntries(notes.map((note) => [note.id, note]));

export class Telling<T extends Noted> {
  readonly #stored: Collection<T>;
  readonly #removals: Removals;
  readonly #name: string;
  readonly #born: (document: T) => string;

  /** @param born distinguishes a document from an earlier one with the same id */
  constructor(stored: Collection<T>, removals: Removals, name: string, born: (document: T) => string) {
    this.#stored = stored;
    this.#removals = removals;
    this.#name = name;
    this.#born = born;
  }

  /** @returns undefined when the id exists already. @throws DuplicateError when a unique field is taken */
  async insert(document: T, notes: readonly Note[]): Promise<Untold | undefined> {
    const noted = notes.length === 0 ? document : { ...document, untold: kept(notes), toTell: notes.length };
    const [inserted] = await this.#stored.insertMissing([noted]);
    return inserted ? this.#untold(document.id, notes) : undefined;
  }

  /** Changes the first match. @returns the changed document; undefined when nothing matches */
  async update(
    filter: Filter,
    { $set, ...change }: Update,
    note: Note,
  ): Promise<{ found: T; untold: Untold } | undefined> {
    const noted = { ...change, $set: { ...$set, [`untold.${note.id}`]: note }, $inc: { toTell: 1 } };
    const found = await this.#stored.update(filter, noted);
    return found && { found, untold: this.#untold(found.id, [note]) };
  }

  /**
   * @param key identifies a deletion that can happen only once, such as a
   * node's; absent: each deletion has its own notes
   * @returns the number of deleted documents; the pending events, unless a concurrent deletion publishes them
   */
  async remove(documents: readonly T[], notesOf: (document: T) => readonly Note[], key?: string) {
    const going = documents.map((document) => ({
      document: document.id,
      born: this.#born(document),
      notes: [...Object.values(document.untold ?? {}), ...notesOf(document)],
    }));
    const untold = await this.#removals.order(this.#name, going, key);
    const count = await this.#stored.remove({ id: { $in: documents.map(({ id }) => id) } });
    return { count, untold };
  }

  #untold(id: string, notes: readonly Note[]): Untold {
    const paths = notes.map((note) => `untold.${note.id}`);
    const each = (value: unknown) => Object.fromEntries(paths.map((path) => [path, value]));
    // A concurrent publisher may have removed the notes already: none is counted twice.
    const filter = { id, ...each({ $exists: true }) };
    const change = { $unset: each(''), $inc: { toTell: -paths.length } };
    return { notes, told: async () => paths.length > 0 && this.#stored.update(filter, change) };
  }

  /** Yields pending events that no process publishes any more. @param minAgeMs minimum age; 0: no other process runs */
  async *left(minAgeMs: number): AsyncGenerator<Untold> {
    for await (const { id, untold = {} } of pages(this.#stored, { toTell: { $gte: 1 } })) {
      const notes = Object.values(untold).filter(({ at }) => isLeft(at, minAgeMs));
      if (notes.length > 0) yield this.#untold(id, notes);
    }
    yield* this.#removals.left(this.#name, minAgeMs, (ids) => this.#standing(ids));
  }

  async #standing(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#stored.find({ id: { $in: [...ids] } });
    return new Map(found.map((document) => [document.id, this.#born(document)]));
  }
}
