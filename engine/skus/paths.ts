/**
 * Paths of rules: `ipmi-fru.Builtin FRU Device (ID 0).Board Mfg`. The first segment is a catalog's source, the rest are
 * keys in its data. A segment may hold anything but a dot.
 *
 * 1. In a list a segment is an index; nothing else of a list, a text or a number can be reached.
 * 2. Only own properties count: `constructor` is missing unless the data has it.
 */

export interface Path {
  text: string;
  source: string;
  keys: readonly string[];
}

/** By source: the data of a node's latest catalogs. */
export type CatalogData = ReadonlyMap<string, unknown>;

/** null is a value; undefined stands where there is none. */
export interface Found {
  exists: boolean;
  value: unknown;
}

const INDEX = /^(?:0|[1-9]\d*)$/;
const missing: Found = { exists: false, value: undefined };

/** @returns undefined when a segment is empty */
export function pathOf(text: string): Path | undefined {
  const [source = '', ...keys] = text.split('.');
  return source === '' || keys.includes('') ? undefined : { text, source, keys };
}

export function find({ source, keys }: Path, catalogs: CatalogData): Found {
  if (!catalogs.has(source)) return missing;
  let value = catalogs.get(source);
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return missing;
    if (Array.isArray(value) && !INDEX.test(key)) return missing;
    value = (value as Record<string, unknown>)[key];
  }
  return { exists: true, value };
}
