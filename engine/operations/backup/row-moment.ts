/**
 * All rows of one kind as of one moment, although a row is in Redis or in MongoDB, and goes from one to the other
 * (`durable/live/README.md`). Most rest in MongoDB: reading them takes longer than steps can wait.
 *
 * 1. Before the moment, documents that rest are copied to a file, and the ids of the rows in Redis are noted again and
 *    again. A row that leaves Redis was there for longer than the time between, unless it has ended.
 * 2. At the moment, while writes wait: the rows in Redis are read; of those that were noted and have left Redis, the
 *    documents; and the ids of workflows that ended in the meantime.
 * 3. Afterwards, documents of workflows that have ended by then are read: these change no more.
 *
 * A row is then that of 2, or else that of 1.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isPresent, type RecordedRow } from '../../durable/live/port.ts';
import type { RedisRows } from '../../durable/live/redis-rows.ts';
import type { StepRow } from '../../durable/step/row.ts';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import { byIds, groups } from '../../platform/store/pages.ts';
import type { Collection, Filter } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { jsonLines, sizedPages } from './sized-pages.ts';

const PASS_INTERVAL_MS = 1_500;
/** Rows rest no sooner (`durable/live/kinds.ts`). */
const LONGEST_LOOK_MS = 8_000;
const ROWS_PER_PAGE = 500;

const absent: Filter = { phase: { $nin: ['moving', 'removed'] } };

export class RowMoment<R extends StepRow> {
  readonly #rows: RedisRows<R>;
  readonly #record: Collection<RecordedRow<R>>;
  readonly #file: string;
  readonly #noted = new Set<string>();
  readonly #looks: Reconciler;
  /** ms of the monotonic clock. */
  #looked: number | undefined;
  #isLate = false;
  /** Read at the moment. */
  #moved: R[] = [];
  /** Ids of rows that were read at the moment, or are gone. */
  readonly #knownIds = new Set<string>();
  /** Ids of those that ended shortly before the moment: their documents change no more. */
  readonly #over = new Set<string>();

  /** @param folder for the copied documents */
  constructor(rows: RedisRows<R>, record: Collection<RecordedRow<R>>, folder: string) {
    this.#rows = rows;
    this.#record = record;
    this.#file = join(folder, rows.kind.name);
    this.#looks = new Reconciler({
      name: `look ${rows.kind.name}`,
      everyMs: PASS_INTERVAL_MS,
      firstMs: PASS_INTERVAL_MS,
      pass: async () => {
        await this.#look();
      },
      failed: () => {},
    });
  }

  /** @param filter of the documents that may change @throws what the stores throw */
  async copy(filter: Filter): Promise<void> {
    await this.#look();
    this.#looks.start();
    const texts = async function* (pages: AsyncIterable<RecordedRow<R>[]>) {
      for await (const page of pages) yield jsonLines(page).text;
    };
    const pages = sizedPages(this.#record, { ...filter, ...absent });
    await pipeline(Readable.from(texts(pages)), createWriteStream(this.#file, { mode: 0o600 }));
  }

  async #look(): Promise<string[]> {
    const ids = [...(await this.#rows.ids('left')), ...(await this.#rows.ids('idle'))];
    for (const id of ids) this.#noted.add(id);
    const now = performance.now();
    this.#isLate ||= now - (this.#looked ?? now) > LONGEST_LOOK_MS;
    this.#looked = now;
    return ids;
  }

  /**
   * While writes wait.
   * @param over ids of rows that ended in the meantime: those that have left Redis change no more
   * @throws NodewrightError BACKUP_FAILED
   */
  async read(over: ReadonlySet<string>): Promise<void> {
    const ids = await this.#look();
    if (this.#isLate) {
      const message = `the rows in Redis could not be looked at every ${LONGEST_LOOK_MS} ms; try again`;
      throw new NodewrightError('BACKUP_FAILED', message);
    }
    const inRedis = new Set(ids);
    for await (const row of this.#rows.each(ids)) this.#moved.push(row);
    const remainingIds = [...this.#noted].filter((id) => !inRedis.has(id) && !over.has(id));
    for (const document of await byIds(this.#record, remainingIds, ROWS_PER_PAGE)) {
      if (isPresent(document)) this.#moved.push(this.#rows.read(document));
    }
    for (const id of [...ids, ...remainingIds]) this.#knownIds.add(id);
    for (const id of over) if (!this.#knownIds.has(id)) this.#over.add(id);
  }

  /** Returns the ids of the rows that were in Redis at the moment, or had left it shortly before. */
  get movedIds(): string[] {
    return this.#moved.map(({ id }) => id);
  }

  /** Whether the document of a row that is over belongs to the moment. @param since before the copy began; ISO 8601 */
  isOver(id: string, finishedAt: string | null, since: string): boolean {
    return this.#over.has(id) || (!this.#knownIds.has(id) && (finishedAt ?? '') < since);
  }

  /** Yields the rows that could still change at the moment, some hundreds at a time. */
  async *all(): AsyncGenerator<R[]> {
    yield* groups(this.#each(), ROWS_PER_PAGE);
  }

  async *#each(): AsyncGenerator<R> {
    yield* this.#moved;
    this.#moved = [];
    for await (const line of createInterface({ input: createReadStream(this.#file) })) {
      const row = this.#rows.read(JSON.parse(line) as RecordedRow<R>);
      if (!this.#knownIds.has(row.id) && !this.#over.has(row.id)) yield row;
    }
  }

  async close(): Promise<void> {
    await this.#looks.close();
  }
}
