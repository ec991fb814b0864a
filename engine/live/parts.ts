/**
 * A row as fields of a Redis hash, so that a step writes what it changed: a row is some kilobytes, a step a few hundred
 * bytes of it.
 *
 * 1. Steps copy what they change, so a part that is the same object has not changed.
 * 2. A collection of a row (`split`) has a field for each entry: `operations.w1`. Its order is that of the numbers in
 *    the keys. Any other object is a field of its own, and the plain values together are the field `row`.
 */
import { isObject } from '../define/json.ts';
import type { StepRow } from '../step/row.ts';

/** The fields of a row that are written by entries. */
export type Split<R> = readonly (keyof R & string)[];

export interface Difference {
  /** Names and values in turn. */
  set: string[];
  removed: string[];
}

const PLAIN = 'row';
const SEPARATOR = '.';

/**
 * @param before absent: all of the row is written
 * @param changed parts in place of the row's own
 */
export function changedParts<R extends StepRow>(
  row: R,
  before: R | undefined,
  split: Split<R>,
  changed: Partial<R> = {},
): Difference {
  const found: Difference = { set: [], removed: [] };
  const plain: Record<string, unknown> = {};
  for (const name in row) {
    const [value, old]: unknown[] = [changed[name] ?? row[name], before?.[name]];
    if (!isPart(value)) plain[name] = value;
    else if (value === old) continue;
    else if (Array.isArray(value) && split.includes(name))
      compareItems(name, value, Array.isArray(old) ? old : [], found.set);
    else if (split.includes(name)) compareEntries(name, value as Entries, (old ?? {}) as Entries, found);
    else found.set.push(name, JSON.stringify(value));
    if (split.includes(name) && old === undefined) found.set.push(name + SEPARATOR, Array.isArray(value) ? '[]' : '{}');
  }
  found.set.push(PLAIN, JSON.stringify(plain));
  for (const name in before) {
    if (isPart(before[name]) && !isPart(row[name]) && !split.includes(name)) found.removed.push(name);
  }
  return found;
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;

type Entries = Record<string, unknown>;

function compareEntries(name: string, entries: Entries, old: Entries, { set, removed }: Difference): void {
  for (const key in entries) {
    if (entries[key] !== old[key]) set.push(name + SEPARATOR + key, JSON.stringify(entries[key]));
  }
  for (const key in old) if (!(key in entries)) removed.push(name + SEPARATOR + key);
}

/** The lists of a row have as many items for ever. */
function compareItems(name: string, items: readonly unknown[], old: readonly unknown[], set: string[]): void {
  for (let at = 0; at < items.length; at += 1) {
    if (items[at] !== old[at]) set.push(name + SEPARATOR + at, JSON.stringify(items[at]));
  }
}

/** @param fields names and values in turn, as Redis answers HGETALL */
export function joined(fields: Readonly<Record<string, string>>, split: readonly string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const entries = new Map<string, [string, unknown][]>(split.map((name) => [name, []]));
  for (const [field, json] of Object.entries(fields)) {
    const at = field.indexOf(SEPARATOR);
    const value: unknown = JSON.parse(json);
    if (at < 0) {
      if (field === PLAIN && isObject(value)) Object.assign(row, value);
      else row[field] = value;
    } else if (at === field.length - 1) row[field.slice(0, at)] = value;
    else entries.get(field.slice(0, at))?.push([field.slice(at + 1), value]);
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
