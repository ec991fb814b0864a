/**
 * One collection of the document port on MongoDB. `mongo-words.ts` translates
 * the language, `mongo-errors.ts` the errors.
 *
 * 1. When a write's promise resolves, it is on the disks of a majority; one of a lazy collection is on its way there,
 *    before any later write.
 * 2. Each write changes one document, atomically. Many replacements are many concurrent commands: a bulk write returns
 *    only the number of matches, which is enough for `updateEach`.
 * 3. Reads by id and inserts that arrive while others run are one command: a server needs little more time for twenty
 *    documents than for one.
 * 4. Values that an index of the embedded store cannot hold are rejected here too, although MongoDB would accept
 *    them: the rules are the same in both stores.
 */
import type { Collection as Driver } from 'mongodb';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { property } from '../../vocabulary/json.ts';
import { batch } from '../lib/batch.ts';
import {
  checkNamed,
  checkParts,
  columnValue,
  indexedColumn,
  isStorable,
  newestBy,
  type Table,
  withoutApart,
} from './columns.ts';
import { LargeCounts } from './large-counts.ts';
import { duplicateKeyIn, type FailedInsert, failedInserts, inTime, mongoError, within } from './mongo-errors.ts';
import {
  documentIn,
  documentOut,
  type Fields,
  filterIn,
  pathIn,
  sortIn,
  updateIn,
  wholeIn,
  wholeOut,
} from './mongo-words.ts';
import {
  type Collection,
  type Document,
  type DocumentUpdate,
  DuplicateError,
  type Filter,
  type FindOptions,
  type Update,
  type VersionedDocument,
} from './port.ts';

const MAX_LIMIT = 1_000;
/** Documents that are read by id together; a catalog may have megabytes. */
const MAX_GETS = 50;

/** MongoDB merges the orders of up to 200 values by their index; it sorts those of more. */
const MERGED = 100;

export type MongoDocument = Fields & { _id: string };

export const uniqueName = (path: string): string => `nodewright:unique:${path}`;

export class MongoCollection<T extends Document> implements Collection<T> {
  readonly #driver: Driver<MongoDocument>;
  readonly #table: Table;
  readonly #unique: readonly string[];
  /** The option of reads that leave a field out. */
  readonly #shown: { projection?: Record<string, 0> };
  readonly #counts = new LargeCounts();
  readonly #get = batch((ids: string[]) => this.#getAll(ids), MAX_GETS);
  readonly #insert = batch((all: MongoDocument[]) => this.#insertAll(all));

  constructor(driver: Driver<MongoDocument>, table: Table) {
    this.#driver = driver;
    this.#table = table;
    this.#unique = table.columns.filter(({ unique }) => unique).map(({ path }) => path);
    this.#shown = table.apart === undefined ? {} : { projection: { [pathIn(table.apart)]: 0 } };
  }

  get(id: string): Promise<T | undefined> {
    return this.#run(() => this.#get(id));
  }

  async #getAll(ids: readonly string[]): Promise<(T | undefined)[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const found = await this.#run(() => this.#driver.find(filter, this.#shown).toArray());
    const byId = new Map(found.map((fields) => [fields._id, fields]));
    return ids.map((id) => {
      const fields = byId.get(id);
      return fields && this.#out(fields);
    });
  }

  async find(filter: Filter, { sort = {}, skip = 0, limit = MAX_LIMIT, apart }: FindOptions = {}): Promise<T[]> {
    checkNamed(this.#table, sort);
    // MongoDB treats the limit 0 as unlimited.
    if (limit <= 0) return [];
    const batch = Math.min(limit, MAX_LIMIT);
    const findOptions = { sort: sortIn(sort), skip, limit: batch, batchSize: batch, ...(!apart && this.#shown) };
    const found = await this.#run(() => this.#driver.find(this.#filter(filter), findOptions).toArray());
    return found.map((fields) => this.#out(fields));
  }

  async pick<F extends keyof T & string>(fields: readonly F[], filter: Filter, options: FindOptions = {}) {
    const { sort = {}, skip = 0, limit = MAX_LIMIT } = options;
    checkNamed(this.#table, sort);
    for (const field of fields) indexedColumn(this.#table, field);
    if (limit <= 0) return [];
    const batch = Math.min(limit, MAX_LIMIT);
    const projection = Object.fromEntries(fields.map((field) => [pathIn(field), 1]));
    const findOptions = { sort: sortIn(sort), skip, limit: batch, batchSize: batch, projection };
    const found = await this.#run(() => this.#driver.find(this.#filter(filter), findOptions).toArray());
    return found.map((stored) => {
      const values = fields.map((field) => [field, at(stored, pathIn(field)) ?? null]);
      return Object.fromEntries([['id', stored._id], ...values]) as Pick<T, F> & Document;
    });
  }

  async lastOf<F extends keyof T & string>(
    fields: readonly F[],
    by: NoInfer<F>,
    values: readonly string[],
    limit: number,
  ) {
    newestBy(this.#table, by);
    const found: (Pick<T, F> & Document)[] = [];
    const all = [...new Set(values)];
    for (let from = 0; from < all.length; from += MERGED)
      found.push(...(await this.#lastOfSome(fields, by, all.slice(from, from + MERGED), limit)));
    return found;
  }

  /** One page has them, unless a few values have most of it: the others are then read one by one. */
  async #lastOfSome<F extends keyof T & string>(fields: readonly F[], by: F, values: string[], limit: number) {
    const newestPage = (value: string | { $in: string[] }, most: number) =>
      this.pick(fields, { [by]: value }, { sort: { createdAt: -1 }, limit: most });
    const page = await newestPage({ $in: values }, MAX_LIMIT);
    const found: (Pick<T, F> & Document)[] = [];
    for (const value of values) {
      const own = page.filter((document) => document[by] === value);
      const isWhole = page.length < MAX_LIMIT || own.length >= limit;
      found.push(...(isWhole ? own.slice(0, limit) : await newestPage(value, limit)));
    }
    return found;
  }

  count(filter: Filter): Promise<number> {
    return this.#counts.of(filter, () => this.#run(() => this.#driver.countDocuments(this.#filter(filter))));
  }

  async insert(document: T): Promise<void> {
    const [inserted] = await this.insertMissing([document]);
    if (!inserted) throw new DuplicateError(this.#table.collection, 'id');
  }

  /** If a unique field is taken, the other documents are still inserted. */
  async insertMissing(documents: readonly T[]): Promise<boolean[]> {
    const all = documents.map((document) => this.#in(document));
    return resultsOf(all.map((fields) => this.#run(() => this.#insert(fields))));
  }

  /** @returns for each whether its id was free, or its error */
  async #insertAll(all: readonly MongoDocument[]): Promise<(boolean | Error)[]> {
    try {
      const failures = await this.#tryInserts(all);
      return await Promise.all(all.map((fields, index) => this.#outcome(fields, failures.get(index))));
    } catch (error) {
      // If one is too large, the driver rejects all of them before it sends any.
      if (all.length === 1 || !(error instanceof NodewrightError && error.code === 'TOO_LARGE')) throw error;
      const outcomes = all.map((fields) => this.#insertAll([fields]).catch((thrown: Error) => [thrown]));
      return (await Promise.all(outcomes)).flat();
    }
  }

  async #outcome(fields: MongoDocument, failure: FailedInsert | undefined): Promise<boolean | Error> {
    if (failure === undefined) return true;
    if (!failure.isDuplicate) return failure.error;
    const field = await this.#takenField(fields, failure.text);
    return field !== 'id' && new DuplicateError(this.#table.collection, field);
  }

  /** @returns those that failed, by index */
  async #tryInserts(all: readonly MongoDocument[]): Promise<ReadonlyMap<number, FailedInsert>> {
    const { collection } = this.#table;
    try {
      await inTime(collection, () => this.#driver.insertMany([...all], { ordered: false }));
      return new Map();
    } catch (thrown) {
      const failures = failedInserts(collection, thrown);
      if (failures === undefined) throw mongoError(collection, thrown);
      return failures;
    }
  }

  /** If a unique field of one document is taken, the others are still written. */
  async replace(documents: readonly (T & VersionedDocument)[]): Promise<boolean[]> {
    const all = documents.map((document) => this.#in(document));
    return resultsOf(all.map((fields) => this.#replaceOne(fields)));
  }

  /**
   * New ones first, which costs a fraction of a replacement. No upsert: FerretDB ends an unordered bulk write at the first
   * id that is taken, and does not tell.
   */
  async put(documents: readonly (T & VersionedDocument)[]): Promise<void> {
    const all = documents.map((document) => this.#in(document));
    if (all.length === 0) return;
    const failures = await this.#tryInserts(all);
    for (const { isDuplicate, error } of failures.values()) if (!isDuplicate) throw error;
    const known = all.filter((_, index) => failures.has(index));
    if (known.length === 0) return;
    await this.#run(() => this.#driver.bulkWrite(known.map(ifOlder), { ordered: false, ignoreUndefined: true }));
  }

  async #replaceOne(fields: MongoDocument): Promise<boolean> {
    const before = { _id: fields._id, version: Number(fields.version) - 1 };
    return (await this.#write(fields, () => this.#driver.replaceOne(before, fields))).matchedCount === 1;
  }

  async update(filter: Filter, update: Update): Promise<T | undefined> {
    this.#checkUpdate(update);
    const words = updateIn(update, this.#unique);
    if (words === undefined) return (await this.find(filter, { limit: 1 }))[0];
    const options = { sort: { _id: 1 }, returnDocument: 'after' } as const;
    const tried = { ...words.$set } as MongoDocument;
    const found = await this.#write(tried, () => this.#driver.findOneAndUpdate(filterIn(filter), words, options));
    // FerretDB has no projection for it.
    return found === null ? undefined : withoutApart(this.#table, this.#out(found));
  }

  /** If a unique field of one document is taken, the later changes are not made. */
  async updateEach(changes: readonly DocumentUpdate[]): Promise<number> {
    const writes = changes.flatMap(({ id, filter = {}, update }) => {
      this.#checkUpdate(update);
      const words = updateIn(update, this.#unique);
      return words === undefined ? [] : [{ filter: { ...this.#filter(filter), _id: id }, update: words }];
    });
    if (writes.length === 0) return 0;
    try {
      const commands = writes.map((updateOne) => ({ updateOne }));
      return (await inTime(this.#table.collection, () => this.#driver.bulkWrite(commands))).matchedCount;
    } catch (thrown) {
      const text = duplicateKeyIn(thrown);
      if (text === undefined) throw mongoError(this.#table.collection, thrown);
      throw new DuplicateError(this.#table.collection, await this.#takenFieldOf(writes, text));
    }
  }

  async #takenFieldOf(writes: readonly { filter: Fields; update: Record<string, Fields> }[], text: string) {
    for (const { filter, update } of writes) {
      const field = await this.#takenField({ ...update.$set, _id: filter._id }, text);
      if (field !== 'id') return field;
    }
    return 'id';
  }

  async remove(filter: Filter): Promise<number> {
    return (await this.#run(() => this.#driver.deleteMany(this.#filter(filter)))).deletedCount;
  }

  #run<R>(call: () => Promise<R>): Promise<R> {
    return within(this.#table.collection, call);
  }

  /** @param fields the values to write, by path or nested */
  async #write<R>(fields: Fields, call: () => Promise<R>): Promise<R> {
    try {
      return await inTime(this.#table.collection, call);
    } catch (thrown) {
      const text = duplicateKeyIn(thrown);
      if (text === undefined) throw mongoError(this.#table.collection, thrown);
      throw new DuplicateError(this.#table.collection, await this.#takenField(fields, text));
    }
  }

  /** Returns the field that is taken: by the index in the server's message, otherwise by a search for its value. */
  async #takenField(fields: Fields, text: string): Promise<string> {
    const index = / index: (\S+)/.exec(text)?.[1];
    if (index !== undefined) return this.#unique.find((path) => uniqueName(path) === index) ?? 'id';
    for (const path of this.#unique) {
      const key = pathIn(path);
      const value = fields[key] ?? at(fields, key);
      if (value === undefined) continue;
      const others = {
        ...filterIn({ [path]: value }),
        ...(fields._id === undefined ? {} : { _id: { $ne: fields._id } }),
      };
      const count = await this.#run(() => this.#driver.countDocuments(others as object));
      if (count > 0) return path;
    }
    return 'id';
  }

  #in(document: T): MongoDocument {
    const { id } = document;
    if (typeof id !== 'string' || id === '' || !isStorable(id)) {
      const found = JSON.stringify(id) ?? 'nothing';
      throw new NodewrightError('INVALID', `${this.#table.collection}: id is ${found}, expected a text without NUL`);
    }
    for (const column of this.#table.columns) columnValue(this.#table, column, document);
    const { beside, apart } = this.#table;
    return beside === undefined ? documentIn(document, this.#unique) : wholeIn(document, beside, apart);
  }

  #out(fields: MongoDocument): T {
    return this.#table.beside === undefined ? documentOut<T>(fields) : wholeOut<T>(fields);
  }

  #filter(filter: Filter): Fields {
    checkNamed(this.#table, filter);
    return filterIn(filter);
  }

  /** Validates the indexed fields of an update, as documents of their own. */
  #checkUpdate(update: Update): void {
    checkParts(this.#table, update);
    const { $set = {}, $push = {}, $addToSet = {}, $inc = {} } = update;
    const lists = [$push, $addToSet]
      .flatMap(Object.entries)
      .map(([path, value]) => [path, valuesToAdd(value)] as const);
    for (const [path, value] of [...Object.entries($set), ...Object.entries($inc), ...lists]) {
      const draft = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Document;
      for (const column of this.#table.columns) columnValue(this.#table, column, draft);
    }
  }
}

/** Resolves when all have ended. @throws the first error */
async function resultsOf<R>(calls: readonly Promise<R>[]): Promise<R[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

const ifOlder = (replacement: MongoDocument) => ({
  replaceOne: { filter: { _id: replacement._id, version: { $lt: Number(replacement.version) } }, replacement },
});

const valuesToAdd = (value: unknown): unknown[] => {
  const $each = property(value, '$each');
  return Array.isArray($each) ? $each : [value];
};

const at = (fields: Fields, path: string): unknown => path.split('.').reduce<unknown>(property, fields);
