/**
 * Paths of rules: `ipmi-fru.Builtin FRU Device (ID 0).Board Mfg`. The first segment is a catalog's source, the others
 * are keys in its data. A segment may contain any character except a dot.
 *
 * 1. In a list, a segment is an index; other properties of lists, strings and numbers cannot be reached.
 * 2. Only own properties exist: `constructor` is missing unless the data has it.
 * 3. The source alone is the whole catalog; of one that is a text only (`{ "raw": text }`), it is the text.
 */
import { isObject, property } from '../../vocabulary/json.ts';

export interface Path {
  text: string;
  source: string;
  keys: readonly string[];
}

/** The data of a node's latest catalogs, by source. */
export type CatalogsBySource = ReadonlyMap<string, unknown>;

/** null is a value; a missing value is undefined. */
export interface PathResult {
  exists: boolean;
  value: unknown;
}

const INDEX = /^(?:0|[1-9]\d*)$/;
const missing: PathResult = { exists: false, value: undefined };

/** @returns undefined when a segment is empty */
export function rulePath(text: string): Path | undefined {
  const [source = '', ...keys] = text.split('.');
  return source === '' || keys.includes('') ? undefined : { text, source, keys };
}

export function find({ source, keys }: Path, catalogs: CatalogsBySource): PathResult {
  if (!catalogs.has(source)) return missing;
  let value = catalogs.get(source);
  if (keys.length === 0) return { exists: true, value: plainText(value) ?? value };
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return missing;
    if (Array.isArray(value) && !INDEX.test(key)) return missing;
    value = property(value, key);
  }
  return { exists: true, value };
}

/** The text of a catalog of the format `raw`. */
const plainText = (data: unknown): string | undefined =>
  isObject(data) && typeof data.raw === 'string' && Object.keys(data).length === 1 ? data.raw : undefined;
