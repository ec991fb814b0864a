/** A kind of record that export and import know: its form in a file, and its documents. */

import type { CollectionSpec, Document, Filter } from '../../platform/store/port.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';

/** In the order of an export: a record comes after those that it refers to. */
export const recordTypes = [
  ...(['role', 'user', 'sku', 'tag', 'node', 'relation', 'obm', 'ibm', 'lookup'] as const),
  ...(['task', 'graph', 'hook', 'poller', 'catalog'] as const),
] as const;

export type RecordType = (typeof recordTypes)[number];

/** A reference to another record. */
export interface Reference {
  path: string;
  type: RecordType;
  id: string;
}

/** A value that only one record of its kind may have. */
export interface UniqueValue {
  path: string;
  value: string;
  /** Finds the documents that have it. */
  filter: Filter;
}

/** The rules of a kind. */
interface RecordRules {
  readonly type: RecordType;
  /** Maximum number of records in a store; absent: none. */
  readonly limit?: number;
  idOf(record: JsonObject): string;
  /** The record with `REDACTED` for secrets that are not encrypted values in texts. */
  shown?(record: JsonObject): JsonObject;
  references?(record: JsonObject): Reference[];
  uniques?(record: JsonObject): UniqueValue[];
  /** Returns violations of rules that its schema does not express. @throws NodewrightError INVALID */
  violations?(record: JsonObject): Violation[];
}

/** A kind with one document for each record. Encrypted values in texts stay; `Sealing` converts them. */
export interface RecordKind<T extends Document = Document> extends RecordRules {
  readonly spec: CollectionSpec;
  /** The record of a document. */
  record(document: T): JsonObject;
  /** The fields of a document that its record determines. */
  document(record: JsonObject): Partial<T> & Document;
  /** The other fields of a new document. */
  initial: Partial<T>;
}

/** A record to write, and the one that it replaces. */
export interface RecordChange {
  record: JsonObject;
  before: JsonObject | undefined;
}

/** The records of a kind in a store. */
export interface StoredRecords extends RecordRules {
  /** Returns the record as it would be read after it was written. */
  normal(record: JsonObject): JsonObject;
  count(): Promise<number>;
  each(): AsyncIterable<JsonObject>;
  byIds(ids: readonly string[]): Promise<JsonObject[]>;
  /** Returns the id of another record that has the value. */
  owner(unique: UniqueValue, id: string): Promise<string | undefined>;
  write(changes: readonly RecordChange[]): Promise<void>;
}

export const textIn = (record: JsonObject, key: string): string => String(record[key]);

/** Returns a copy with these keys, as far as they are there. */
export function pickKeys(object: object, keys: readonly string[]): JsonObject {
  const fields = object as JsonObject;
  return Object.fromEntries(keys.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])));
}

export const uniqueField = (record: JsonObject, path: string, field = path): UniqueValue[] =>
  typeof record[path] === 'string'
    ? [{ path, value: `${path} ${record[path]}`, filter: { [field]: record[path] } }]
    : [];
