/**
 * The document port: the small part of MongoDB's language that the engine uses. Implemented by `embedded.ts` on
 * SQLite and by `mongodb.ts` on MongoDB; every implementation passes `test/conformance/store.ts`. It has no
 * transactions over several documents: data that must change together is stored in one document. The outcome of a
 * write that fails with UNAVAILABLE is unknown.
 */

export interface Document {
  id: string;
}

/** A document that changes by compare-and-set only; the first version is 1. */
export interface VersionedDocument extends Document {
  version: number;
}

/** How a field is compared in an index: as text, as a number, as a boolean, or as a list of texts. */
export type IndexKind = 'text' | 'number' | 'boolean' | 'texts';

export interface CollectionSpec {
  /** Lower case letters only: it names a table. */
  name: string;
  /** Fields (dotted paths) that filters and sorts use often. Other fields work too, but every candidate is scanned. */
  indexes: Record<string, IndexKind>;
  /**
   * Indexed text fields whose values are unique; documents where the field is null or absent are exempt. A store may
   * convert null to absent and vice versa.
   */
  unique?: string[];
  /**
   * Indexed text fields by whose values lists are read, newest first: the index of each continues with `createdAt`, which
   * is indexed as text.
   */
  newest?: readonly string[];
  /**
   * Fields that filters and sorts use seldom. They have no index of their own, which each write would have to keep: a store
   * reads all entries of the index of `createdAt`, or all documents. `createdAt` is indexed as text.
   */
  scanned?: Record<string, IndexKind>;
  /**
   * Its writes may be lost in a crash until the next write that is not lazy. For data that is also stored elsewhere
   * until a later write says that it is not needed there.
   */
  lazy?: boolean;
  /**
   * Its documents are read and written as a whole, and are many and large: a store may keep each as text, with only its
   * version, indexed and scanned fields and these top-level fields beside it. Filters and sorts may use no others; an update may only
   * `$set` and `$inc` these.
   */
  whole?: readonly string[];
  /**
   * A top-level text of documents that are written whole. Reads leave it out unless they ask for it, so that a long one
   * costs them nothing in a store on a server. Each write of a document replaces it, or removes it.
   */
  apart?: string;
}

/**
 * MongoDB's filter language: equality, `$in $nin $ne $gt $gte $lt $lte $exists $regex $and $or $not $elemMatch`. Null
 * is only for equality: its order relative to other values, and the order of lists, is undefined.
 */
export type Filter = Record<string, unknown>;

/** `$set $unset $push $pull $addToSet $inc`. */
export type Update = Partial<
  Record<'$set' | '$unset' | '$push' | '$pull' | '$addToSet' | '$inc', Record<string, unknown>>
>;

/** A change of one document. */
export interface DocumentUpdate {
  id: string;
  /** Further conditions that the document has to meet; absent: none. */
  filter?: Filter;
  update: Update;
}

export interface FindOptions {
  /** Dotted path to 1 (ascending) or -1; absent: by id. Ties are broken by id, so that pages never overlap. */
  sort?: Record<string, 1 | -1>;
  skip?: number;
  /** Maximum number of documents; default and maximum 1,000. */
  limit?: number;
  /** Returns the text of `CollectionSpec.apart` too. */
  apart?: boolean;
}

export interface Collection<T extends Document> {
  get(id: string): Promise<T | undefined>;
  find(filter: Filter, options?: FindOptions): Promise<T[]>;
  /**
   * Like `find`, but returns only the ids and these indexed or scanned fields: a store need not read the documents for it. Absent
   * fields are null.
   */
  pick<F extends keyof T & string>(
    fields: readonly F[],
    filter: Filter,
    options?: FindOptions,
  ): Promise<(Pick<T, F> & Document)[]>;
  /**
   * Like `pick`, of the newest documents with each of these values of a field in `CollectionSpec.newest`.
   * @param limit of each value
   * @returns those of one value newest first, by `createdAt`, ties by id
   */
  lastOf<F extends keyof T & string>(
    fields: readonly F[],
    by: NoInfer<F>,
    values: readonly string[],
    limit: number,
  ): Promise<(Pick<T, F> & Document)[]>;
  /** More than 10,000 may be a second old. */
  count(filter: Filter): Promise<number>;
  /** @throws DuplicateError when the id or a unique field is taken. */
  insert(document: T): Promise<void>;
  /**
   * Inserts the documents whose ids do not exist yet. @returns for each whether it was inserted
   * @throws DuplicateError when a unique field is taken; whether the others were inserted is undefined
   */
  insertMissing(documents: readonly T[]): Promise<boolean[]>;
  /**
   * Compare-and-set: writes each document whose stored version is exactly one less than its own, all together.
   * @returns for each document whether it was written
   * @throws DuplicateError when a unique field is taken; whether the others were written is undefined
   */
  replace(documents: readonly (T & VersionedDocument)[]): Promise<boolean[]>;
  /**
   * Writes each document whose id does not exist or has an older version. For a copy of what changes elsewhere: a write
   * that is late changes nothing. One that is removed at the same time may stay removed. Not for collections with unique
   * fields.
   */
  put(documents: readonly (T & VersionedDocument)[]): Promise<void>;
  /** Changes the first match. @returns the changed document, or undefined. @throws DuplicateError */
  update(filter: Filter, update: Update): Promise<T | undefined>;
  /**
   * Changes each document that meets its conditions, in one request: for hundreds of documents. Each change is atomic,
   * all together are not. Changes of the same document are made in their order.
   * @returns the number of changes made. If not all were, the caller reads the documents to find out which.
   * @throws DuplicateError when a unique field is taken; whether the others were changed is undefined
   */
  updateEach(changes: readonly DocumentUpdate[]): Promise<number>;
  /** @returns the number of deleted documents */
  remove(filter: Filter): Promise<number>;
}

export interface Store {
  /** Returns the same collection for the same name. Resolves when its table and indexes exist. */
  collection<T extends Document>(spec: CollectionSpec): Promise<Collection<T>>;
  /** Keeps what was written, even if the newest part of the store is lost. Absent: the server does. */
  settle?(): Promise<void>;
  /** Absent: the server has the disk. @throws NodewrightError UNAVAILABLE when the disk is nearly full */
  needRoom?(): void;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Another document has the same id or value of a unique field. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
  readonly field: string;

  constructor(collection: string, field: string) {
    super(`${collection}: another document has the same ${field}`);
    this.field = field;
  }
}
