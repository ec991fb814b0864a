/**
 * A row as fields of a Redis hash, so that a step writes what it changed: a row is some kilobytes, a step a few hundred
 * bytes of it.
 *
 * 1. Steps copy what they change, so a part that is the same object has not changed.
 * 2. A collection of a row (`split`) has a field for each entry: `operations.w1`. Its order is that of the numbers in
 *    the keys. An item of a list is named after its version, or its place.
 * 3. The plain values of a new row together are the field `first`. One that changes gets a field of its own, which counts.
 */
import type { StepRow } from '../step/row.ts';

/** The fields of a row that are written by entries. */
export type Split<R> = readonly (keyof R & string)[];

export interface Difference {
  /** Names and values in turn. */
  set: string[];
  removed: string[];
}

const FIRST = 'first';
/** The text of a value that is absent. */
const ABSENT = '';
const SEPARATOR = '.';

/**
 * @param before absent: all of the row is written
 * @param shown parts that are written in place of the row's own
 */
export function changedParts<R extends StepRow>(
  row: R,
  before: R | undefined,
  split: Split<R>,
  shown: Partial<R> = {},
): Difference {
  const found: Difference = { set: [], removed: [] };
  const first: Record<string, unknown> = {};
  for (const name in row) {
    const [value, old]: unknown[] = [row[name], before?.[name]];
    if (before === undefined && !isPart(value)) first[name] = value;
    else if (value === old || name === 'version') continue;
    else if (split.includes(name) && isPart(value)) {
      if (old === undefined) found.set.push(name + SEPARATOR, Array.isArray(value) ? '[]' : '{}');
      if (Array.isArray(value))
        compareItems(name, value, (shown[name] ?? value) as Item[], (old ?? []) as Item[], found);
      else compareEntries(name, value as Entries, (old ?? {}) as Entries, found);
    } else found.set.push(name, JSON.stringify(value) ?? ABSENT);
  }
  for (const name in before) if (!(name in row)) found.set.push(name, ABSENT);
  if (before === undefined) found.set.push(FIRST, JSON.stringify(first));
  return found;
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;

type Item = { version?: number };
type Entries = Record<string, unknown>;

function compareEntries(name: string, entries: Entries, old: Entries, { set, removed }: Difference): void {
  for (const key in entries) {
    if (entries[key] !== old[key]) set.push(name + SEPARATOR + key, JSON.stringify(entries[key]));
  }
  for (const key in old) if (!(key in entries)) removed.push(name + SEPARATOR + key);
}

/** @param shown the items as they are written */
function compareItems(
  name: string,
  items: readonly Item[],
  shown: readonly Item[],
  old: readonly Item[],
  { set, removed }: Difference,
): void {
  for (const [at, item] of items.entries()) {
    const { version } = item;
    const was = version === undefined ? old[at] : old.find((other) => other.version === version);
    if (was !== item) set.push(name + SEPARATOR + (version ?? at), JSON.stringify(shown[at]));
  }
  for (const [at, { version }] of old.entries()) {
    const isGone = version === undefined ? at >= items.length : !items.some((item) => item.version === version);
    if (isGone) removed.push(name + SEPARATOR + (version ?? at));
  }
}

/** @param fields names and values in turn, as Redis answers HGETALL */
export function joined(fields: Readonly<Record<string, string>>, split: readonly string[]): Record<string, unknown> {
  const row = JSON.parse(fields[FIRST] ?? '{}') as Record<string, unknown>;
  const entries = new Map<string, [string, unknown][]>(split.map((name) => [name, []]));
  for (const field in fields) {
    const json = fields[field] as string;
    const at = field.indexOf(SEPARATOR);
    if (field === FIRST) continue;
    if (json === ABSENT) delete row[field];
    else if (at < 0) row[field] = JSON.parse(json);
    else if (at === field.length - 1) row[field.slice(0, at)] = JSON.parse(json);
    else entries.get(field.slice(0, at))?.push([field.slice(at + 1), JSON.parse(json)]);
  }
  for (const [name, all] of entries) {
    if (row[name] === undefined) continue;
    all.sort(([a], [b]) => numberIn(a) - numberIn(b) || (a < b ? -1 : 1));
    row[name] = Array.isArray(row[name]) ? all.map(([, value]) => value) : Object.fromEntries(all);
  }
  return row;
}

/** Returns the number at the end of a key, by which the engine numbers task runs and operations; others are first. */
const numberIn = (key: string): number => Number(/\d+$/.exec(key)?.[0] ?? -1);
