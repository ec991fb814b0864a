/**
 * The document port on the embedded database. Each document is one row: JSON text, and a column for each index.
 * Conditions of filters run in SQLite if they mean the same there (`filter.ts`); mingo tests the rest.
 *
 * 1. When a write's promise resolves, it is on disk; each write is one request to the database, all or nothing.
 * 2. Drafts for mingo are read in batches by id, so that memory holds at most a batch and the result.
 * 3. While the disk is nearly full, only deletions are allowed.
 * 4. A change that depends on a document is written only if the stored text is still the one that was read; otherwise
 *    it is read again.
 */

import { NodewrightError } from '../../vocabulary/errors.ts';
import { KeyedQueues } from '../lib/keyed-queues.ts';
import { mapPaced } from '../lib/pause.ts';
import { applyUpdate } from './apply-update.ts';
import {
  type Column,
  checkParts,
  columnValue,
  fromParam,
  indexedColumn,
  isStorable,
  type Param,
  type Table,
  tableOf,
  toParam,
  withoutApart,
} from './columns.ts';
import { type Database, type DatabaseOptions, openDatabase, type ReplacedTable } from './database.ts';
import type { Row, Statement } from './database-requests.ts';
import { type Order, order, select } from './filter.ts';
import { Journal, type JournaledCollection, type JournaledStore } from './journal.ts';
import { LargeCounts } from './large-counts.ts';
import { countQuery, newestQuery, pageQuery } from './page-query.ts';
import {
  type CollectionSpec,
  type Document,
  type DocumentUpdate,
  DuplicateError,
  type Filter,
  type FindOptions,
  type Update,
  type VersionedDocument,
} from './port.ts';
import { duplicateField, prepareTable } from './prepare-table.ts';
import { Query } from './query.ts';

const MAX_LIMIT = 1_000;

/** A catalog may have 2 MiB; a hundred of them still fit in memory. */
const SCAN_BATCH = 100;

/** Documents that are parsed without a pause, in half a millisecond. */
const DOCUMENTS_PER_TURN = 50;

export type EmbeddedStore = JournaledStore & Pick<Database, 'hold'>;

/** @throws NodewrightError as `openDatabase` */
export async function openEmbeddedStore(options: DatabaseOptions): Promise<EmbeddedStore> {
  const db = await openDatabase(options);
  const collections = new Map<string, Promise<EmbeddedCollection<Document>>>();
  const journal = await Journal.open(db).catch(async (error) => {
    await db.close();
    throw error;
  });

  const open = async (spec: CollectionSpec) => {
    const table = tableOf(spec);
    await prepareTable(table, db);
    return new EmbeddedCollection<Document>(db, table, spec.lazy ?? false);
  };

  return {
    collection<T extends Document>(spec: CollectionSpec) {
      const known = collections.get(spec.name) ?? open(spec);
      collections.set(spec.name, known);
      return known as unknown as Promise<JournaledCollection<T>>;
    },
    journal,
    settle: () => db.settle(),
    needRoom: () => db.needRoom(),
    ping: () => db.ping(),
    hold: (isHeld) => db.hold(isHeld),
    close: () => db.close(),
  };
}

class EmbeddedCollection<T extends Document> implements JournaledCollection<T> {
  readonly #db: Database;
  readonly #table: Table;
  readonly #replaced: ReplacedTable;
  readonly #insert: string;
  readonly #put: string;
  /** Updates of one document, which would otherwise make each other read it again. */
  readonly #updates = new KeyedQueues();
  readonly #counts = new LargeCounts();

  constructor(db: Database, table: Table, isLazy: boolean) {
    this.#db = db;
    this.#table = table;
    const { name } = table;
    const columns = table.columns.map((column) => column.name);
    this.#replaced = { name, columns, isLazy };
    const values = ['id', 'version', 'doc', ...columns];
    this.#insert = `INSERT INTO ${name} (${values.join(', ')}) VALUES (${values.map(() => '?').join(', ')})`;
    const put = ['version', 'doc', ...columns].map((column) => `${column} = excluded.${column}`).join(', ');
    this.#put = `${this.#insert} ON CONFLICT (id) DO UPDATE SET ${put} WHERE version < excluded.version`;
  }

  get table(): string {
    return this.#table.name;
  }

  async get(id: string): Promise<T | undefined> {
    if (!isStorable(id)) return undefined;
    const [row] = await this.#db.select(`SELECT doc FROM ${this.#table.name} WHERE id = ?`, [id]);
    return row && withoutApart(this.#table, parse<T>(row[0]));
  }

  async find(filter: Filter, options: FindOptions = {}): Promise<T[]> {
    const rows = await this.#page(['doc'], filter, options);
    const show = (found: T) => (options.apart ? found : withoutApart(this.#table, found));
    if (rows === undefined) return (await this.#findByScan(filter, options)).map(show);
    const document = ([doc]: Param[]) => show(parse<T>(doc));
    return rows.length > DOCUMENTS_PER_TURN ? mapPaced(rows, document) : rows.map(document);
  }

  async pick<F extends keyof T & string>(fields: readonly F[], filter: Filter, options: FindOptions = {}) {
    const columns = fields.map((field) => indexedColumn(this.#table, field));
    const rows = await this.#page(['id', ...columns.map(({ name }) => name)], filter, options);
    if (rows === undefined) {
      const found = await this.#findByScan(filter, options);
      const pickedValues = (document: T) => fields.map((field) => [field, document[field] ?? null]);
      return found.map((document) => Object.fromEntries([['id', document.id], ...pickedValues(document)]));
    }
    return rows.map((row) => this.#pickedFields(columns, row) as Pick<T, F> & Document);
  }

  async lastOf<F extends keyof T & string>(
    fields: readonly F[],
    by: NoInfer<F>,
    values: readonly string[],
    limit: number,
  ) {
    const columns = fields.map((field) => indexedColumn(this.#table, field));
    const query = newestQuery(this.#table, ['id', ...columns.map(({ name }) => name)], by);
    const lists = await this.#db.select(query, [JSON.stringify([...new Set(values.filter(isStorable))]), limit]);
    const rows = lists.flatMap(([list]) => parse<Param[][]>(list));
    return rows.map((row) => this.#pickedFields(columns, row) as Pick<T, F> & Document);
  }

  #pickedFields(columns: readonly Column[], [id, ...values]: readonly (Param | undefined)[]): Fields {
    const fields = columns.map(({ path, kind }, at) => [path, fromParam(kind, values[at] ?? null)]);
    return Object.fromEntries([['id', id], ...fields]);
  }

  /** Returns the rows of a page; undefined when mingo has to find them. */
  async #page(columns: string[], filter: Filter, options: FindOptions): Promise<Param[][] | undefined> {
    const selection = select(this.#table, filter);
    const by = order(this.#table, options.sort ?? {});
    if (!selection.exact || by === undefined) return undefined;
    return this.#db.page(pageQuery(this.#table, columns, selection, by, [limitOf(options), options.skip ?? 0]));
  }

  /** Keeps the first `skip + limit` matches in order; in the order of ids it stops when it has them. */
  async #findByScan(filter: Filter, options: FindOptions): Promise<T[]> {
    const { sort = {}, skip = 0 } = options;
    const wanted = skip + limitOf(options);
    const byId = Object.keys(sort).length === 0;
    let best: T[] = [];
    for await (const found of this.#scan(filter)) {
      best.push(...found.map(({ document }) => document));
      if (byId && best.length >= wanted) break;
      if (!byId && best.length > 2 * wanted + SCAN_BATCH) best = sortDocuments(best, sort).slice(0, wanted);
    }
    return (byId ? best : sortDocuments(best, sort)).slice(skip, wanted);
  }

  /** Yields matches in batches, in the order of ids. */
  async *#scan(filter: Filter): AsyncGenerator<StoredJson<T>[]> {
    const { exact } = select(this.#table, filter);
    const test = exact ? undefined : new Query(filter);
    const byId = order(this.#table, {}) as Order;
    for (let last = ''; ; ) {
      const selection = select(this.#table, { $and: [filter, { id: { $gt: last } }] });
      const rows = await this.#db.page(pageQuery(this.#table, ['id', 'doc'], selection, byId, [SCAN_BATCH, 0]));
      const stored = rows.map(([, doc]) => ({ doc: String(doc), document: parse<T>(doc) }));
      yield test ? stored.filter(({ document }) => test.test(document as unknown as Fields)) : stored;
      if (rows.length < SCAN_BATCH) return;
      last = String(rows.at(-1)?.[0]);
    }
  }

  count(filter: Filter): Promise<number> {
    return this.#counts.of(filter, () => this.#count(filter));
  }

  async #count(filter: Filter): Promise<number> {
    const selection = select(this.#table, filter);
    if (selection.exact) {
      const [row] = await this.#db.select(countQuery(this.#table, selection), selection.params);
      return Number(row?.[0]);
    }
    let count = 0;
    for await (const found of this.#scan(filter)) count += found.length;
    return count;
  }

  async insert(document: T): Promise<void> {
    await this.#write([document], (rows) => this.#change({ text: this.#insert, lists: rows }));
  }

  async insertMissing(documents: readonly T[]): Promise<boolean[]> {
    const text = `${this.#insert} ON CONFLICT (id) DO NOTHING`;
    const inserted = await this.#write(documents, (lists) => this.#change({ text, lists }));
    return inserted.map((count) => count === 1);
  }

  /** @throws DuplicateError when a unique field of one is taken: then none is written */
  replace(documents: readonly (T & VersionedDocument)[]): Promise<boolean[]> {
    return this.#write(documents, (rows) => this.#db.replace(this.#replaced, rows));
  }

  async put(documents: readonly (T & VersionedDocument)[]): Promise<void> {
    await this.#write(documents, (lists) => this.#change({ text: this.#put, lists }));
  }

  putting(documents: readonly (T & VersionedDocument)[]): Statement {
    return { text: this.#put, lists: documents.map((document) => this.#rowOf(document)) };
  }

  #change(statement: Statement): Promise<number[]> {
    return this.#db.write([statement], this.#replaced.isLazy);
  }

  async update(filter: Filter, update: Update): Promise<T | undefined> {
    checkParts(this.#table, update);
    const { id } = filter;
    return typeof id === 'string'
      ? this.#updates.run(id, () => this.#update(filter, update))
      : this.#update(filter, update);
  }

  async #update(filter: Filter, update: Update): Promise<T | undefined> {
    for (;;) {
      const stored = await this.#first(filter);
      if (stored === undefined) return undefined;
      const { doc, document } = stored;
      this.#apply(document, update);
      const [isWritten] = await this.#write([document], (rows) => this.#db.replace(this.#replaced, rows, [doc]));
      if (isWritten) return withoutApart(this.#table, document);
    }
  }

  /** Documents that changed after they were read are read again. */
  async updateEach(changes: readonly DocumentUpdate[]): Promise<number> {
    for (const { update } of changes) checkParts(this.#table, update);
    let made = 0;
    for (let left = changes.filter(({ id }) => isStorable(id)); left.length > 0; ) {
      const stored = await this.#storedBy([...new Set(left.map(({ id }) => id))]);
      const taken = left.filter(({ id, filter = {}, update }) => {
        const document = stored.get(id)?.document;
        if (document === undefined || !new Query(filter).test(document as unknown as Fields)) return false;
        this.#apply(document, update);
        return true;
      });
      const changed = [...new Set(taken.map(({ id }) => id))].map((id) => stored.get(id) as StoredJson<T>);
      const written = await this.#write(
        changed.map(({ document }) => document),
        (rows) =>
          this.#db.replace(
            this.#replaced,
            rows,
            changed.map(({ doc }) => doc),
          ),
      );
      const again = new Set(changed.filter((_, at) => !written[at]).map(({ document }) => document.id));
      made += taken.filter(({ id }) => !again.has(id)).length;
      left = left.filter(({ id }) => again.has(id));
    }
    return made;
  }

  async #storedBy(ids: readonly string[]): Promise<Map<string, StoredJson<T>>> {
    const { where, params } = select(this.#table, { id: { $in: [...ids] } });
    const rows = await this.#db.select(`SELECT doc FROM ${this.#table.name} WHERE ${where}`, params);
    const stored = rows.map(([doc]) => ({ doc: String(doc), document: parse<T>(doc) }));
    return new Map(stored.map((found) => [found.document.id, found]));
  }

  #apply(document: T, update: Update): void {
    const { id } = document;
    applyUpdate(document, update);
    if (document.id === id) return;
    throw new NodewrightError('INVALID', `${this.#table.collection} ${id}: an update may not change the id`);
  }

  async #first(filter: Filter): Promise<StoredJson<T> | undefined> {
    for await (const [first] of this.#scan(filter)) if (first) return first;
    return undefined;
  }

  async remove(filter: Filter): Promise<number> {
    if (select(this.#table, filter).exact) return totalOf(await this.#change(this.removing(filter)));
    const text = `DELETE FROM ${this.#table.name} WHERE id = ? AND doc = ?`;
    let count = 0;
    for await (const found of this.#scan(filter)) {
      const removed = await this.#change({ text, lists: found.map(({ doc, document }) => [document.id, doc]) });
      const changed = found.filter((_, at) => removed[at] === 0).map(({ document }) => document.id);
      count += totalOf(removed);
      if (changed.length > 0) count += await this.remove({ $and: [filter, { id: { $in: changed } }] });
    }
    return count;
  }

  removing(filter: Filter): Statement {
    const { where, params } = select(this.#table, filter);
    return { text: `DELETE FROM ${this.#table.name} WHERE ${where}`, lists: [params] };
  }

  check(document: T, before?: T): void {
    if (before === undefined) this.#checkId(document.id);
    for (const column of this.#table.columns) {
      const top = column.path as keyof T;
      if (before === undefined || before[top] !== document[top]) columnValue(this.#table, column, document);
    }
  }

  async #write<R>(documents: readonly T[], write: (rows: Row[]) => Promise<R[]>): Promise<R[]> {
    if (documents.length === 0) return [];
    const rows = documents.map((document) => this.#rowOf(document));
    this.#db.needRoom();
    try {
      return await write(rows);
    } catch (error) {
      const field = duplicateField(this.#table, error);
      throw field === undefined ? error : new DuplicateError(this.#table.collection, field);
    }
  }

  #rowOf(document: T): Row {
    this.#checkId(document.id);
    const values = this.#table.columns.map((column) => toParam(columnValue(this.#table, column, document)));
    return [document.id, (document as Partial<VersionedDocument>).version ?? null, JSON.stringify(document), ...values];
  }

  #checkId(id: unknown): void {
    if (typeof id === 'string' && id !== '' && isStorable(id)) return;
    const found = JSON.stringify(id) ?? 'nothing';
    throw new NodewrightError('INVALID', `${this.#table.collection}: id is ${found}, expected a text without NUL`);
  }
}

/** A document in the type that mingo requires. */
type Fields = Record<string, unknown>;

/** A document and its stored text. */
interface StoredJson<T> {
  doc: string;
  document: T;
}

const parse = <T>(doc: Param | undefined): T => JSON.parse(doc as string) as T;

const limitOf = ({ limit = MAX_LIMIT }: FindOptions): number => Math.min(limit, MAX_LIMIT);

const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const sortDocuments = <T extends Document>(documents: T[], sort: Record<string, 1 | -1>): T[] => {
  const cursor = new Query({}).find<Fields>(documents as unknown as Fields[]);
  return cursor.sort({ ...sort, id: sort.id ?? 1 }).all() as unknown as T[];
};
