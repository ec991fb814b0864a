/**
 * The document port on the embedded database. Each document is one row: JSON text, and a column for each index.
 * Conditions of filters run in PostgreSQL if they mean the same there (`filter.ts`); mingo tests the rest.
 *
 * 1. When a write's promise resolves, it is on disk; it is one statement, or one turn on the session.
 * 2. Candidates for mingo are read in batches by id, so that memory holds at most a batch and the result.
 * 3. While the disk is nearly full, only deletions are allowed.
 * 4. The caller owns the database: closing the store leaves it open.
 */
import { Query as Test } from 'mingo';
import { update as applyUpdate, type Modifier } from 'mingo/updater';
import { NodewrightError } from '../define/errors.ts';
import { checkParts, columnValue, indexed, isStorable, type Table, tableOf } from './columns.ts';
import { order, select } from './filter.ts';
import { type Database, DURABLE } from './pglite.ts';
import {
  type Collection,
  type CollectionSpec,
  type Document,
  type DocumentUpdate,
  DuplicateError,
  type Filter,
  type FindOptions,
  type Store,
  type Update,
  type Versioned,
} from './port.ts';
import { duplicateField, prepareTable } from './prepare-table.ts';
import type { Query } from './statements.ts';

const MAX_LIMIT = 1_000;

/** A catalog may have 2 MiB; a hundred of them still fit in memory. */
const SCAN_BATCH = 100;

/** Separates documents in one parameter: JSON text never contains a raw control character. */
const SEPARATOR = '\u0001';

/** Scripts are disabled: a filter may come from outside. */
const mingoOptions = { scriptEnabled: false, idKey: 'id' };

export function createEmbeddedStore(db: Database): Store {
  const collections = new Map<string, Promise<EmbeddedCollection<Document>>>();

  const open = async (spec: CollectionSpec) => {
    const table = tableOf(spec);
    await db.transaction((query) => prepareTable(table, query));
    return new EmbeddedCollection<Document>(db, table, spec.lazy ?? false);
  };

  return {
    collection<T extends Document>(spec: CollectionSpec) {
      const known = collections.get(spec.name) ?? open(spec);
      collections.set(spec.name, known);
      return known as unknown as Promise<Collection<T>>;
    },
    async ping() {
      await db.ping();
    },
    async close() {},
  };
}

class EmbeddedCollection<T extends Document> implements Collection<T> {
  readonly #db: Database;
  readonly #table: Table;
  readonly #insert: string;
  readonly #replace: string;
  readonly #update: string;
  /** Expression returned by each write: makes it wait for the disk, or leaves that to a later write. */
  readonly #synced: string;

  constructor(db: Database, table: Table, lazy: boolean) {
    this.#db = db;
    this.#synced = lazy ? 'NULL' : DURABLE;
    this.#table = table;
    const { name, columns } = table;
    const names = ['version', 'doc', ...columns.map((column) => column.name)];
    const given = columns.map(({ kind }, index) => (kind === 'texts' ? `x.c${index}::text[]` : `x.c${index}`));
    const values = ['x.version', 'x.doc', ...given];
    const arrays = columns.map(({ kind }, index) => `$${index + 4}::${kind === 'texts' ? 'text' : element[kind]}[]`);
    const rows = `unnest($1::text[], $2::int[], string_to_array($3::text, chr(1))${arrays.map((a) => `, ${a}`).join('')})
      WITH ORDINALITY AS x(id, version, doc${columns.map((_, index) => `, c${index}`).join('')}, n)`;
    const set = names.map((column, index) => `${column} = ${values[index]}`).join(', ');
    this.#insert = `INSERT INTO ${name} (id, ${names.join(', ')}) SELECT x.id, ${values.join(', ')} FROM ${rows}`;
    this.#update = `UPDATE ${name} AS t SET ${set} FROM ${rows} WHERE t.id = x.id`;
    this.#replace = `${this.#update} AND t.version = x.version - 1 RETURNING x.n, ${this.#synced}`;
  }

  async get(id: string): Promise<T | undefined> {
    if (!isStorable(id)) return undefined;
    const { rows } = await this.#db.query<Row>(`SELECT doc FROM ${this.#table.name} WHERE id = $1`, [id]);
    return rows[0] && parse<T>(rows[0]);
  }

  async find(filter: Filter, options: FindOptions = {}): Promise<T[]> {
    const { sort = {}, skip = 0 } = options;
    const limit = Math.min(options.limit ?? MAX_LIMIT, MAX_LIMIT);
    const { where, params, exact } = select(this.#table, filter);
    const by = order(this.#table, sort);
    if (!exact || by === undefined) return this.#findByScan(filter, sort, skip, limit);
    const { rows } = await this.#db.query<Row>(
      `SELECT doc FROM ${this.#table.name} WHERE ${where} ORDER BY ${by}
        LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      [...params, limit, skip],
      'fresh',
    );
    return rows.map(parse<T>);
  }

  async pick<F extends keyof T & string>(fields: readonly F[], filter: Filter, options: FindOptions = {}) {
    const { sort = {}, skip = 0 } = options;
    const limit = Math.min(options.limit ?? MAX_LIMIT, MAX_LIMIT);
    const { where, params, exact } = select(this.#table, filter);
    const by = order(this.#table, sort);
    const columns = fields.map((field, at) => `${indexed(this.#table, field).name} AS f${at}`);
    const picked = (id: string, values: readonly unknown[]) =>
      Object.fromEntries([['id', id], ...fields.map((field, at) => [field, values[at] ?? null])]) as Pick<T, F> &
        Document;
    if (!exact || by === undefined) {
      const found = await this.#findByScan(filter, sort, skip, limit);
      return found.map((document) =>
        picked(
          document.id,
          fields.map((field) => document[field]),
        ),
      );
    }
    const { rows } = await this.#db.query<Fields>(
      `SELECT ${['id', ...columns].join(', ')} FROM ${this.#table.name} WHERE ${where} ORDER BY ${by}
        LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      [...params, limit, skip],
      'fresh',
    );
    return rows.map((row) =>
      picked(
        String(row.id),
        fields.map((_, at) => row[`f${at}`]),
      ),
    );
  }

  /** Keeps the first `skip + limit` matches in order; in the order of ids it stops when it has them. */
  async #findByScan(filter: Filter, sort: Record<string, 1 | -1>, skip: number, limit: number): Promise<T[]> {
    const wanted = skip + limit;
    const byId = Object.keys(sort).length === 0;
    let best: T[] = [];
    for await (const found of this.#scan(filter, this.#db.query)) {
      best.push(...found);
      if (byId && best.length >= wanted) break;
      if (!byId && best.length > 2 * wanted + SCAN_BATCH) best = sorted(best, sort).slice(0, wanted);
    }
    return (byId ? best : sorted(best, sort)).slice(skip, wanted);
  }

  /** Yields matches in batches, in the order of ids. */
  async *#scan(filter: Filter, query: Query): AsyncGenerator<T[]> {
    const { where, params, exact } = select(this.#table, filter);
    const test = exact ? undefined : new Test<Fields>(filter, mingoOptions);
    const after = `$${params.length + 1}`;
    const text = `SELECT id, doc FROM ${this.#table.name} WHERE ${where} AND id > ${after} ORDER BY id LIMIT ${SCAN_BATCH}`;
    let last = '';
    for (;;) {
      const { rows } = await query<Row>(text, [...params, last], 'fresh');
      const documents = rows.map(parse<T>);
      yield test ? documents.filter((document) => test.test(document as unknown as Fields)) : documents;
      if (rows.length < SCAN_BATCH) return;
      last = rows.at(-1)?.id ?? '';
    }
  }

  async count(filter: Filter): Promise<number> {
    const { where, params, exact } = select(this.#table, filter);
    if (exact) {
      const text = `SELECT count(*)::int AS n FROM ${this.#table.name} WHERE ${where}`;
      return (await this.#db.query<{ n: number }>(text, params, 'fresh')).rows[0]?.n ?? 0;
    }
    let count = 0;
    for await (const found of this.#scan(filter, this.#db.query)) count += found.length;
    return count;
  }

  async insert(document: T): Promise<void> {
    await this.#write(`${this.#insert} RETURNING id, ${this.#synced}`, [document], this.#db.query);
  }

  async insertMissing(documents: readonly T[]): Promise<boolean[]> {
    if (documents.length === 0) return [];
    const rows = await this.#write<{ id: string }>(
      `${this.#insert} ON CONFLICT (id) DO NOTHING RETURNING id, ${this.#synced}`,
      documents,
      this.#db.query,
    );
    const inserted = new Set(rows.map(({ id }) => id));
    // A repeated id was inserted once.
    return documents.map(({ id }) => inserted.delete(id));
  }

  /** @throws DuplicateError when a unique field of one is taken: then none is written */
  async replace(documents: readonly (T & Versioned)[]): Promise<boolean[]> {
    if (documents.length === 0) return [];
    const rows = await this.#write<{ n: string }>(this.#replace, documents, this.#db.query);
    const written = new Set(rows.map(({ n }) => Number(n)));
    return documents.map((_, index) => written.has(index + 1));
  }

  async update(filter: Filter, update: Update): Promise<T | undefined> {
    checkParts(this.#table);
    return this.#db.alone(async (query) => {
      const document = await this.#first(filter, query);
      if (document === undefined) return undefined;
      this.#apply(document, update);
      await this.#write(`${this.#update} RETURNING t.id, ${this.#synced}`, [document], query);
      return document;
    });
  }

  async updateEach(changes: readonly DocumentUpdate[]): Promise<number> {
    checkParts(this.#table);
    const ids = [...new Set(changes.map(({ id }) => id))].filter(isStorable);
    if (ids.length === 0) return 0;
    return this.#db.alone(async (query) => {
      const { rows } = await query<Row>(`SELECT doc FROM ${this.#table.name} WHERE id = ANY($1)`, [ids], 'fresh');
      const found = new Map(rows.map(parse<T>).map((document) => [document.id, document]));
      const changed = new Map<string, T>();
      let count = 0;
      for (const { id, filter = {}, update } of changes) {
        const document = found.get(id);
        if (document === undefined || !new Test(filter, mingoOptions).test(document as unknown as Fields)) continue;
        this.#apply(document, update);
        changed.set(id, document);
        count += 1;
      }
      if (count > 0) await this.#write(`${this.#update} RETURNING t.id, ${this.#synced}`, [...changed.values()], query);
      return count;
    });
  }

  #apply(document: T, update: Update): void {
    const { id } = document;
    applyUpdate(document as unknown as Fields, update as Modifier<Fields>, [], {}, { cloneMode: 'deep' });
    if (document.id === id) return;
    throw new NodewrightError('INVALID', `${this.#table.collection} ${id}: an update may not change the id`);
  }

  async #first(filter: Filter, query: Query): Promise<T | undefined> {
    for await (const [first] of this.#scan(filter, query)) if (first) return first;
    return undefined;
  }

  remove(filter: Filter): Promise<number> {
    return this.#db.alone(async (query) => {
      const { where, params, exact } = select(this.#table, filter);
      if (exact) return this.#delete(where, params, query);
      let count = 0;
      for await (const found of this.#scan(filter, query)) {
        const ids = found.map(({ id }) => id);
        if (ids.length > 0) count += await this.#delete('id = ANY($1)', [ids], query);
      }
      return count;
    });
  }

  async #delete(where: string, params: readonly unknown[], query: Query): Promise<number> {
    const text = `WITH gone AS (DELETE FROM ${this.#table.name} WHERE ${where} RETURNING 1)
      SELECT count(*)::int AS n, ${this.#synced} FROM gone`;
    return (await query<{ n: number }>(text, params, 'fresh')).rows[0]?.n ?? 0;
  }

  async #write<R>(text: string, documents: readonly T[], query: Query): Promise<R[]> {
    for (const { id } of documents) this.#checkId(id);
    this.#db.needRoom();
    const columns = this.#table.columns.map((column) => {
      const values = documents.map((document) => columnValue(this.#table, column, document));
      return column.kind === 'texts' ? values.map((value) => value && arrayLiteral(value as string[])) : values;
    });
    const ids = documents.map(({ id }) => id);
    const versions = documents.map((document) => (document as Partial<Versioned>).version ?? null);
    const docs = documents.map((document) => JSON.stringify(document)).join(SEPARATOR);
    try {
      return (await query<R>(text, [ids, versions, docs, ...columns])).rows;
    } catch (error) {
      const field = duplicateField(this.#table, error);
      throw field === undefined ? error : new DuplicateError(this.#table.collection, field);
    }
  }

  #checkId(id: unknown): void {
    if (typeof id === 'string' && id !== '' && isStorable(id)) return;
    const found = JSON.stringify(id) ?? 'nothing';
    throw new NodewrightError('INVALID', `${this.#table.collection}: id is ${found}, expected a text without NUL`);
  }
}

/** A document in the type that mingo requires. */
type Fields = Record<string, unknown>;

interface Row {
  id: string;
  doc: string;
}

const element = { text: 'text', number: 'float8', boolean: 'boolean' };

const parse = <T>({ doc }: Row): T => JSON.parse(doc) as T;

const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

const sorted = <T extends Document>(documents: T[], sort: Record<string, 1 | -1>): T[] => {
  const cursor = new Test({}, mingoOptions).find<Fields>(documents as unknown as Fields[]);
  return cursor.sort({ ...sort, id: sort.id ?? 1 }).all() as unknown as T[];
};
