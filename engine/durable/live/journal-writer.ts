/**
 * Writes the rows of the embedded store: all steps, launches and ends of a moment are one entry of the journal.
 *
 * A row is its document and the steps in the journal after it. One that is new has no document yet. A row that is ahead of
 * its document is in memory (`moving-rows.ts`), so that reads never need the journal.
 *
 * 1. A write is answered when its entry is on the disk. It is decided by the version of the row in memory, or, if that is a
 *    document, by the statement that appends the entry. Two rows that one step changes are in one entry, or in none.
 * 2. Writes follow each other: what is decided for one is true until it is answered.
 * 3. A row that has ended becomes a document with its history instead of its last save; others do so ten seconds after
 *    their first step. Entries that no row needs any more are deleted in the same transaction (`platform/store/journal.ts`).
 * 4. A removal is an entry, because earlier ones with steps of the row may still be there.
 *
 * If the process dies
 * - before an entry is on the disk: its steps were not taken, and none of their effects has run;
 * - after that: the next start makes documents of the entries (`journal-fold.ts`) and runs the effects that are pending;
 * - after the last save of an ended row, which no sync follows: the row is as before, and its effects run again;
 * - after a removal: it is repeated, with all entries before it.
 */
import { batch } from '../../platform/lib/batch.ts';
import type { Journal } from '../../platform/store/journal.ts';
import type { StepRow } from '../step/row.ts';
import type { MovingRows, PlannedWrite } from './moving-rows.ts';

/** `entry`: changes of rows, all or none; `end`: the last save of a row that has ended. `rest`: a page of idle rows. */
type Work =
  | { kind: 'entry'; writes: readonly PlannedWrite[]; isLazy: boolean }
  | { kind: 'end'; write: PlannedWrite }
  | { kind: 'removal'; rows: MovingRows; id: string }
  | { kind: 'rest'; rows: MovingRows; all: boolean };

type WorkOf<K extends Work['kind']> = Extract<Work, { kind: K }>;
type Outcome = boolean | Error;

/** Documents in one transaction, for which steps wait. */
const DOCUMENTS_AT_ONCE = 64;

export class JournalWriter {
  readonly #journal: Journal;
  readonly #all: readonly MovingRows[];
  readonly #do: (work: Work) => Promise<boolean>;

  /** @param all the rows of all kinds */
  constructor(journal: Journal, all: readonly MovingRows[]) {
    this.#journal = journal;
    this.#all = all;
    this.#do = batch((works: Work[]) => this.#run(works));
  }

  /** Writes all or none. @returns whether the rows had the versions that are changed */
  write(...writes: readonly PlannedWrite[]): Promise<boolean> {
    return this.#do({ kind: 'entry', writes, isLazy: false });
  }

  /** The same for a row of which nothing is pending, so that a crash may lose it. One that has ended leaves memory. */
  settle(write: PlannedWrite): Promise<boolean> {
    return this.#do(write.isLast ? { kind: 'end', write } : { kind: 'entry', writes: [write], isLazy: true });
  }

  async remove(rows: MovingRows, id: string): Promise<void> {
    await this.#do({ kind: 'removal', rows, id });
  }

  /** Makes documents of rows that are idle, or of all. */
  async rest(all: boolean): Promise<void> {
    for (const rows of this.#all) while (await this.#do({ kind: 'rest', rows, all }));
  }

  /** Runs what has arrived in one transaction of the database. */
  async #run(works: readonly Work[]): Promise<Outcome[]> {
    const of = <K extends Work['kind']>(kind: K) => works.filter((work): work is WorkOf<K> => work.kind === kind);
    const outcomes = new Map<Work, Outcome>();
    const done = async (some: readonly Work[], run: () => Promise<readonly Outcome[]>) => {
      const results = await run().catch((error: Error) => some.map(() => error));
      for (const [at, work] of some.entries()) outcomes.set(work, results[at] ?? false);
    };
    // Entries of this moment are not deleted.
    const { next } = this.#journal;
    const [entries, ends, rests] = [of('entry'), of('end'), of('rest')];
    const busy = new Set(entries.flatMap(({ writes }) => writes).map(({ key }) => key));
    await Promise.all([
      done([...ends, ...rests], () => this.#makeDocuments(ends, rests, busy, next)),
      done(entries, () => this.#append(entries)),
    ]);
    await Promise.all(of('removal').map((removal) => done([removal], () => this.#remove(removal))));
    return works.map((work) => outcomes.get(work) as Outcome);
  }

  async #append(entries: readonly WorkOf<'entry'>[]): Promise<Outcome[]> {
    const errors = entries.map(({ writes }) => checkError(writes));
    const valid = entries.filter((_, at) => errors[at] === undefined);
    /** By key: versions of documents, as far as others were expected; 0: there is none. */
    const found = new Map<string, number>();
    for (;;) {
      const { taken, expected } = plan(valid, found);
      const isDone = taken.length === 0 || (await this.#appendEntry(taken, expected));
      if (isDone) return entries.map((entry, at) => errors[at] ?? taken.includes(entry));
      for (const [rows, versions] of expected) {
        const there = await rows.versionsOf([...versions.keys()]);
        for (const id of versions.keys()) found.set(rows.keyOf(id), there.get(id) ?? 0);
      }
    }
  }

  /** @returns false: a document has another version than expected */
  async #appendEntry(taken: readonly WorkOf<'entry'>[], expected: ExpectedRows): Promise<boolean> {
    const writes = taken.flatMap((entry) => entry.writes);
    const text = JSON.stringify(writes.map((write) => write.record()));
    const tables = new Map([...expected].map(([rows, versions]) => [rows.documents.table, versions]));
    const isLazy = taken.every((entry) => entry.isLazy);
    const n = await this.#journal.append(text, tables, isLazy);
    if (n === undefined) return false;
    for (const write of writes) write.accept(n);
    return true;
  }

  /** @param next number of the first entry that was not written before */
  async #makeDocuments(
    ends: readonly WorkOf<'end'>[],
    rests: readonly WorkOf<'rest'>[],
    busy: ReadonlySet<string>,
    next: number,
  ): Promise<boolean[]> {
    const leaving = new Map(this.#all.map((rows) => [rows, new Map<string, StepRow>()]));
    const leave = (rows: MovingRows, row: StepRow): boolean => {
      const own = leaving.get(rows) as Map<string, StepRow>;
      if (own.has(row.id) || busy.has(rows.keyOf(row.id))) return false;
      own.set(row.id, row);
      return true;
    };
    const ended = ends.map(({ write }) => write.knownVersion === write.expectedVersion && leave(write.rows, write.row));
    const rested = rests.map(({ rows, all }) => {
      const idle = rows.idleRows(DOCUMENTS_AT_ONCE, all).filter((row) => leave(rows, row));
      return idle.length > 0;
    });
    const statements = [...leaving].flatMap(([rows, own]) => rows.documentsOf([...own.values()]));
    if (statements.length > 0) {
      const needed = [...leaving].map(([rows, own]) => rows.firstEntry(own));
      await this.#journal.checkpoint(statements, Math.min(next, ...needed));
      for (const [rows, own] of leaving) rows.forget(own.keys());
    }
    return [...ended, ...rested];
  }

  async #remove({ rows, id }: WorkOf<'removal'>): Promise<boolean[]> {
    await this.#journal.appendRemoval(JSON.stringify([rows.removal(id)]), rows.removing(id));
    rows.forget([id]);
    return [true];
  }
}

type ExpectedRows = ReadonlyMap<MovingRows, Map<string, number>>;

/**
 * Chooses the entries whose rows have the versions that they change.
 * @returns also the versions that documents must have for that
 */
function plan(entries: readonly WorkOf<'entry'>[], found: ReadonlyMap<string, number>) {
  const versions = new Map<string, number>();
  const expected = new Map<MovingRows, Map<string, number>>();
  const taken = entries.filter(({ writes }) => {
    const isNext = writes.every(
      ({ key, expectedVersion, knownVersion }) =>
        (versions.get(key) ?? knownVersion ?? found.get(key) ?? expectedVersion) === expectedVersion,
    );
    if (!isNext) return false;
    for (const write of writes) {
      const own = expected.get(write.rows) ?? new Map();
      expected.set(write.rows, own);
      if (!versions.has(write.key) && write.knownVersion === undefined) own.set(write.id, write.expectedVersion);
      versions.set(write.key, write.version);
    }
    return true;
  });
  return { taken, expected };
}

function checkError(writes: readonly PlannedWrite[]): Error | undefined {
  try {
    for (const write of writes) write.check();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
