/**
 * The document port in memory: what all daemons of a world share. Filters and updates are mingo's, which speaks MongoDB's
 * language. Each daemon reaches it through its link.
 */
import { applyUpdate } from '../../platform/store/apply-update.ts';
import { checkNamed, checkParts, newestBy, type Table, tableOf, withoutApart } from '../../platform/store/columns.ts';
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
} from '../../platform/store/port.ts';
import { Query } from '../../platform/store/query.ts';
import type { Link } from './daemon-link.ts';

type Json = Record<string, unknown>;

/** The part of a link that calls of the store take. */
export type StoreLink = Pick<Link, 'call' | 'change' | 'changeEach'>;

const LIMIT = 1_000;

const copyOf = <T>(value: T): T => structuredClone(value);
const valueAt = (document: object, path: string): unknown =>
  path.includes('.')
    ? path.split('.').reduce<unknown>((matches, key) => (matches as Json | undefined)?.[key], document)
    : (document as Json)[path];

/** The documents of one collection. */
export class Documents<T extends Document> {
  readonly all = new Map<string, T>();
  /** Called with each document that is replaced by its next version, before it is. */
  replaced: (before: T, after: T) => void = () => {};
  readonly #table: Table;
  readonly #unique: readonly string[];
  readonly #name: string;
  readonly #copyOf: (document: T) => T;

  /** @param copyOf what callers may change must not be what is stored */
  constructor(spec: CollectionSpec, copyOf: (document: T) => T = structuredClone) {
    this.#copyOf = copyOf;
    this.#table = tableOf(spec);
    this.#unique = spec.unique ?? [];
    this.#name = spec.name;
  }

  get(id: string): T | undefined {
    const document = this.all.get(id);
    return document && this.#copyOf(withoutApart(this.#table, document));
  }

  find(filter: Filter, { sort = {}, skip = 0, limit = LIMIT, apart }: FindOptions = {}): T[] {
    checkNamed(this.#table, sort);
    const keys = [...Object.entries(sort), ['id', 1] as const];
    const order = (a: T, b: T) => {
      for (const [path, direction] of keys) {
        const [ofOne, ofOther] = [valueAt(a, path), valueAt(b, path)] as [string, string];
        if (ofOne !== ofOther) return ofOne < ofOther ? -direction : direction;
      }
      return 0;
    };
    const matches = this.matching(filter)
      .sort(order)
      .slice(skip, skip + limit);
    return matches.map((document) => this.#copyOf(apart === true ? document : withoutApart(this.#table, document)));
  }

  pick<F extends keyof T & string>(fields: readonly F[], filter: Filter, options?: FindOptions) {
    return this.find(filter, options).map((document) => {
      const values = fields.map((field) => [field, document[field] ?? null]);
      return Object.fromEntries([['id', document.id], ...values]) as Pick<T, F> & Document;
    });
  }

  lastOf<F extends keyof T & string>(fields: readonly F[], by: F, values: readonly string[], limit: number) {
    newestBy(this.#table, by);
    return [...new Set(values)].flatMap((value) =>
      this.pick(fields, { [by]: value }, { sort: { createdAt: -1 }, limit }),
    );
  }

  insert(document: T): void {
    this.#needFree(document);
    this.all.set(document.id, copyOf(document));
  }

  insertMissing(documents: readonly T[]): boolean[] {
    return documents.map((document) => {
      const isMissing = !this.all.has(document.id);
      if (isMissing) this.insert(document);
      return isMissing;
    });
  }

  put(documents: readonly (T & VersionedDocument)[]): void {
    for (const document of documents) {
      const stored = this.all.get(document.id) as (T & VersionedDocument) | undefined;
      if (stored === undefined || stored.version < document.version) this.all.set(document.id, copyOf(document));
    }
  }

  replace(documents: readonly (T & VersionedDocument)[]): boolean[] {
    return documents.map((document) => {
      const stored = this.all.get(document.id) as (T & VersionedDocument) | undefined;
      if (stored?.version !== document.version - 1) return false;
      this.replaced(stored, document);
      this.all.set(document.id, copyOf(document));
      return true;
    });
  }

  update(filter: Filter, update: Update): T | undefined {
    checkParts(this.#table, update);
    const [matches] = this.matching(filter);
    if (matches === undefined) return undefined;
    const changed = copyOf(matches);
    applyUpdate(changed, update);
    this.#needFree(changed, matches.id);
    this.all.set(matches.id, changed);
    return copyOf(withoutApart(this.#table, changed));
  }

  remove(filter: Filter): number {
    const matches = this.matching(filter);
    for (const { id } of matches) this.all.delete(id);
    return matches.length;
  }

  matching(filter: Filter): T[] {
    checkNamed(this.#table, filter);
    const { id } = filter;
    const named = typeof id === 'string' ? this.all.get(id) : undefined;
    if (typeof id === 'string' && named === undefined) return [];
    const documents = named === undefined ? [...this.all.values()] : [named];
    if (documents.length === 0 || Object.keys(filter).length === 0) return documents;
    const query = new Query(filter);
    return documents.filter((document) => query.test(document as Json));
  }

  /** @param replaced id of a document that gives way to it */
  #needFree(document: T, replaced?: string): void {
    for (const field of ['id', ...this.#unique]) {
      const value = valueAt(document, field);
      if (value === null || value === undefined) continue;
      for (const other of this.all.values()) {
        if (other.id !== replaced && valueAt(other, field) === value) throw new DuplicateError(this.#name, field);
      }
    }
  }
}

export class MemoryDocuments {
  readonly #collections = new Map<string, Documents<Document>>();

  of<T extends Document>(spec: CollectionSpec): Documents<T> {
    const documents = this.#collections.get(spec.name) ?? new Documents<Document>(spec);
    this.#collections.set(spec.name, documents);
    return documents as unknown as Documents<T>;
  }

  /** As one daemon has them. */
  through(link: StoreLink): Store {
    const opened = new Map<string, object>();
    return {
      collection: async <T extends Document>(spec: CollectionSpec) => {
        const collection = opened.get(spec.name) ?? collectionOf<T>(this.of<T>(spec), spec.name, link);
        opened.set(spec.name, collection);
        return collection as Collection<T>;
      },
      ping: () => link.call('store ping', () => undefined),
      close: async () => {},
    };
  }
}

function collectionOf<T extends Document>(documents: Documents<T>, name: string, link: StoreLink): Collection<T> {
  const what = (operation: string) => `${name} ${operation}`;
  return {
    get: (id) => link.call(what('get'), () => documents.get(id)),
    find: (filter, options) => link.call(what('find'), () => documents.find(filter, options)),
    pick: (fields, filter, options) => link.call(what('pick'), () => documents.pick(fields, filter, options)),
    lastOf: (fields, by, values, limit) => link.call(what('lastOf'), () => documents.lastOf(fields, by, values, limit)),
    count: (filter) => link.call(what('count'), () => documents.matching(filter).length),
    insert: (document) => link.change(what('insert'), () => documents.insert(document)),
    insertMissing: (all) => link.changeEach(what('insertMissing'), all, (some) => documents.insertMissing(some)),
    replace: (all) => link.changeEach(what('replace'), all, (some) => documents.replace(some)),
    put: (all) => link.changeEach(what('put'), all, (some) => documents.put(some)),
    update: (filter, update) => link.change(what('update'), () => documents.update(filter, update)),
    updateEach: (changes: readonly DocumentUpdate[]) =>
      link.changeEach(what('updateEach'), changes, (some) => {
        const changed = some.map(({ id, filter, update }) => documents.update({ ...filter, id }, update));
        return changed.filter((document) => document !== undefined).length;
      }),
    remove: (filter) => link.call(what('remove'), () => documents.remove(filter)),
  };
}
