/**
 * The journal of the embedded database: entries that are written with one sync, before the documents that follow from them.
 *
 * 1. Entries are numbered in their order, from 1 while there are none. A resolved one is on the disk, unless it is lazy.
 * 2. The documents of some entries are written, and these entries deleted, in one transaction, which needs no sync: the log
 *    of the database keeps the order of transactions, so a crash loses the latest ones only. Then the entries are there.
 */
import type { Param } from './columns.ts';
import type { Database } from './database.ts';
import type { Statement } from './database-requests.ts';
import type { Collection, Document, Filter, Store, VersionedDocument } from './port.ts';

/** A collection whose documents follow from the journal. */
export interface JournaledCollection<T extends Document> extends Collection<T> {
  /** The table, quoted. */
  readonly table: string;
  /** @param before as it was checked before @throws NodewrightError INVALID if the document could not be written */
  check(document: T, before?: T): void;
  /** Returns the statement of `put`. */
  putting(documents: readonly (T & VersionedDocument)[]): Statement;
  /** Returns the statement of `remove`. @param filter of indexed fields */
  removing(filter: Filter): Statement;
}

export interface JournaledStore extends Store {
  readonly journal: Journal;
  collection<T extends Document>(spec: Parameters<Store['collection']>[0]): Promise<JournaledCollection<T>>;
}

/** An entry has the steps of a moment. */
const ENTRIES_PER_PAGE = 50;

export class Journal {
  readonly #db: Database;
  #next: number;

  private constructor(db: Database, next: number) {
    this.#db = db;
    this.#next = next;
  }

  static async open(db: Database): Promise<Journal> {
    await db.script(['CREATE TABLE IF NOT EXISTS journal (n INTEGER PRIMARY KEY, entry TEXT NOT NULL)']);
    const [[last] = []] = await db.select('SELECT max(n) FROM journal');
    return new Journal(db, Number(last ?? 0) + 1);
  }

  /** Each later entry has this number or a higher one. */
  get next(): number {
    return this.#next;
  }

  /**
   * Begins immediately, with all that was requested before in this turn of the event loop.
   * @param expected for each table, by id, the version that a document must have; 0: there is none
   * @returns the number of the entry; undefined: a document has another version, and nothing was written
   */
  async append(
    entry: string,
    expected: ReadonlyMap<string, ReadonlyMap<string, number>>,
    isLazy: boolean,
  ): Promise<number | undefined> {
    this.#db.needRoom();
    const n = this.#take();
    const conditions = [...expected].filter(([, versions]) => versions.size > 0);
    const where = conditions.map(([table]) => ` AND NOT EXISTS (${another(table)})`);
    const text = `${INSERT} SELECT ?, ? WHERE TRUE${where.join('')}`;
    const versions = conditions.map(([, each]) => JSON.stringify(Object.fromEntries(each)));
    const written = this.#db.write([{ text, lists: [[n, entry, ...versions]] }], isLazy);
    this.#db.flush();
    const [count] = await written;
    return count === 1 ? n : undefined;
  }

  /** Appends an entry and changes documents together. Also on a disk that is nearly full. */
  async appendRemoval(entry: string, statements: readonly Statement[]): Promise<void> {
    await this.#db.write([{ text: `${INSERT} VALUES (?, ?)`, lists: [[this.#take(), entry]] }, ...statements]);
  }

  /** Changes documents, and deletes the entries with lower numbers. */
  async checkpoint(statements: readonly Statement[], before: number): Promise<void> {
    this.#db.needRoom();
    await this.#db.write([...statements, { text: 'DELETE FROM journal WHERE n < ?', lists: [[before]] }], true);
  }

  /** Yields the entries in order, a page at a time. @param last the number of the last one */
  async *pages(): AsyncGenerator<{ entries: string[]; last: number }> {
    for (let last = 0; ; ) {
      const rows = await this.#db.select('SELECT n, entry FROM journal WHERE n > ? ORDER BY n LIMIT ?', [
        last,
        ENTRIES_PER_PAGE,
      ]);
      if (rows.length === 0) return;
      last = Number(rows.at(-1)?.[0]);
      yield { entries: rows.map(([, entry]: Param[]) => String(entry)), last };
    }
  }

  #take(): number {
    this.#next += 1;
    return this.#next - 1;
  }
}

const INSERT = 'INSERT INTO journal (n, entry)';

/** Selects the documents with another version than expected. */
const another = (table: string): string =>
  `SELECT 1 FROM json_each(?) AS one LEFT JOIN ${table} AS stored ON stored.id = one.key
    WHERE coalesce(stored.version, 0) <> one.value`;
