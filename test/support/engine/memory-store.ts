/** A store in memory for tests that need no database: the port, implemented with mingo. */
import { Query, updateOne } from 'mingo';
import {
  checkNamed,
  checkParts,
  newestBy,
  type Table,
  tableOf,
  withoutApart,
} from '../../../engine/platform/store/columns.ts';
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
  type VersionedDocument,
} from '../../../engine/platform/store/port.ts';

type Json = Record<string, unknown>;

const copy = <T>(value: T): T => structuredClone(value);
const at = (document: object, path: string): unknown =>
  path.split('.').reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], document);

class MemoryCollection<T extends Document> implements Collection<T> {
  private readonly documents = new Map<string, T>();
  private readonly spec: CollectionSpec;
  private readonly table: Table;

  constructor(spec: CollectionSpec) {
    this.spec = spec;
    this.table = tableOf(spec);
  }

  async get(id: string): Promise<T | undefined> {
    const found = this.documents.get(id);
    return found && copy(withoutApart(this.table, found));
  }

  async find(filter: Filter, { sort = {}, skip = 0, limit = 1000, apart }: FindOptions = {}): Promise<T[]> {
    checkNamed(this.table, sort);
    const keys = [...Object.entries(sort), ['id', 1] as const];
    const order = (a: T, b: T) => {
      for (const [path, direction] of keys) {
        const [left, right] = [at(a, path), at(b, path)] as [string, string];
        if (left !== right) return left < right ? -direction : direction;
      }
      return 0;
    };
    return copy(
      this.matching(filter)
        .sort(order)
        .slice(skip, skip + limit)
        .map((document) => (apart ? document : withoutApart(this.table, document))),
    );
  }

  async pick<F extends keyof T & string>(fields: readonly F[], filter: Filter, options?: FindOptions) {
    const found = await this.find(filter, options);
    return found.map((document) => {
      const values = fields.map((field) => [field, document[field] ?? null]);
      return Object.fromEntries([['id', document.id], ...values]) as Pick<T, F> & Document;
    });
  }

  async lastOf<F extends keyof T & string>(
    fields: readonly F[],
    by: NoInfer<F>,
    values: readonly string[],
    limit: number,
  ) {
    newestBy(this.table, by);
    const each = [...new Set(values)].map((value) =>
      this.pick(fields, { [by]: value }, { sort: { createdAt: -1 }, limit }),
    );
    return (await Promise.all(each)).flat();
  }

  async count(filter: Filter): Promise<number> {
    return this.matching(filter).length;
  }

  async insert(document: T): Promise<void> {
    this.checkFree(document);
    this.documents.set(document.id, copy(document));
  }

  async insertMissing(documents: readonly T[]): Promise<boolean[]> {
    const inserted: boolean[] = [];
    for (const document of documents) {
      inserted.push(!this.documents.has(document.id));
      if (inserted.at(-1)) await this.insert(document);
    }
    return inserted;
  }

  async put(documents: readonly (T & VersionedDocument)[]): Promise<void> {
    for (const document of documents) {
      const stored = this.documents.get(document.id) as (T & VersionedDocument) | undefined;
      if (stored === undefined || stored.version < document.version) this.documents.set(document.id, copy(document));
    }
  }

  async replace(documents: readonly (T & VersionedDocument)[]): Promise<boolean[]> {
    return documents.map((document) => {
      const before = this.documents.get(document.id) as (T & VersionedDocument) | undefined;
      if (before?.version !== document.version - 1) return false;
      this.documents.set(document.id, copy(document));
      return true;
    });
  }

  async update(filter: Filter, update: Update): Promise<T | undefined> {
    checkParts(this.table, update);
    const [found] = this.matching(filter);
    if (found === undefined) return undefined;
    const changed = copy(found);
    updateOne([changed as Json], { id: found.id }, copy(update) as never);
    this.checkFree(changed, found.id);
    this.documents.set(found.id, changed);
    return copy(withoutApart(this.table, changed));
  }

  async updateEach(changes: readonly DocumentUpdate[]): Promise<number> {
    const found = changes.map(({ id, filter, update }) => this.update({ ...filter, id }, update));
    return (await Promise.all(found)).filter((changed) => changed !== undefined).length;
  }

  async remove(filter: Filter): Promise<number> {
    const found = this.matching(filter);
    for (const { id } of found) this.documents.delete(id);
    return found.length;
  }

  private matching(filter: Filter): T[] {
    checkNamed(this.table, filter);
    const query = new Query(filter);
    return [...this.documents.values()].filter((document) => query.test(document as Json));
  }

  /** @param extraSweeps id of a document that it replaces */
  private checkFree(document: T, extraSweeps?: string): void {
    for (const field of ['id', ...(this.spec.unique ?? [])]) {
      const value = at(document, field);
      const others = [...this.documents.values()].filter(({ id }) => id !== extraSweeps);
      const taken = others.some((other) => at(other, field) === value);
      if (taken && value !== null && value !== undefined) throw new DuplicateError(this.spec.name, field);
    }
  }
}

export class MemoryStore implements Store {
  private readonly collections = new Map<string, object>();

  async collection<T extends Document>(spec: CollectionSpec): Promise<Collection<T>> {
    const known = this.collections.get(spec.name) ?? new MemoryCollection<T>(spec);
    this.collections.set(spec.name, known);
    return known as Collection<T>;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
