/**
 * The document port: the small part of MongoDB's language that the engine speaks. `embedded.ts` serves it from
 * PGlite, `mongodb.ts` from MongoDB, and whatever serves it passes `test/conformance/store.ts`. No transactions over
 * several documents: whatever has to change together stands in one document. A write that ends with UNAVAILABLE was
 * done or was not.
 */

export interface Document {
  id: string;
}

/** A document that changes only by compare-and-set; the first version is 1. */
export interface Versioned extends Document {
  version: number;
}

/** How a field is compared in an index: as text, as a number, as a boolean, or as a list of texts. */
export type IndexKind = 'text' | 'number' | 'boolean' | 'texts';

export interface CollectionSpec {
  /** Lower case letters only: it names a table. */
  name: string;
  /** Fields (dotted paths) that filters and sorts use often. Others work too, by looking at every candidate. */
  indexes: Record<string, IndexKind>;
  /**
   * Indexed text fields no two documents may share; a document where the field is null or absent is free. A store may
   * make the one of the other.
   */
  unique?: string[];
  /**
   * Its writes may be lost in a crash until anything else was written that may not. For what is kept elsewhere until
   * a later write says that it need not be.
   */
  lazy?: boolean;
  /**
   * Its documents are read and written whole, and are many and large: a store may keep one as text, and beside it its
   * version, its indexed fields and these, all of them at the top. Filters and sorts may name no others; no `update`.
   */
  whole?: readonly string[];
}

/**
 * MongoDB's filter language: equality, `$in $nin $ne $gt $gte $lt $lte $exists $regex $and $or $not $elemMatch`. Null is
 * for equality: no store says what is greater or less than it, nor in which order lists are sorted.
 */
export type Filter = Record<string, unknown>;

/** `$set $unset $push $pull $addToSet $inc`. */
export type Update = Partial<
  Record<'$set' | '$unset' | '$push' | '$pull' | '$addToSet' | '$inc', Record<string, unknown>>
>;

export interface FindOptions {
  /** Dotted path to 1 (ascending) or -1. Without it: by id. Ties are broken by id, so that pages never overlap. */
  sort?: Record<string, 1 | -1>;
  skip?: number;
  /** At most this many; default and maximum 1,000. */
  limit?: number;
}

export interface Collection<T extends Document> {
  get(id: string): Promise<T | undefined>;
  find(filter: Filter, options?: FindOptions): Promise<T[]>;
  /**
   * As `find`, but gives only the ids and these fields, which have an index: a store need not read the documents for it.
   * Absent and null are null.
   */
  pick<F extends keyof T & string>(
    fields: readonly F[],
    filter: Filter,
    options?: FindOptions,
  ): Promise<(Pick<T, F> & Document)[]>;
  count(filter: Filter): Promise<number>;
  /** @throws DuplicateError when the id or a unique field is taken. */
  insert(document: T): Promise<void>;
  /**
   * Inserts those whose id is not there yet. @returns for each whether it was inserted
   * @throws DuplicateError when a unique field is taken; whether the others were inserted is not said
   */
  insertMissing(documents: readonly T[]): Promise<boolean[]>;
  /**
   * Compare-and-set: writes each document whose stored version is exactly one less than its own, all in one go.
   * @returns for each document whether it was written
   * @throws DuplicateError when a unique field is taken; whether the others were written is not said
   */
  replace(documents: readonly (T & Versioned)[]): Promise<boolean[]>;
  /** Changes the first match. @returns it as it is afterwards, or undefined. @throws DuplicateError */
  update(filter: Filter, update: Update): Promise<T | undefined>;
  /** @returns how many were removed */
  remove(filter: Filter): Promise<number>;
}

export interface Store {
  /** The same collection for the same name. Its table and indexes are there when this resolves. */
  collection<T extends Document>(spec: CollectionSpec): Promise<Collection<T>>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** An id or a unique field is taken by another document. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
  readonly field: string;

  constructor(collection: string, field: string) {
    super(`${collection}: another document has the same ${field}`);
    this.field = field;
  }
}
