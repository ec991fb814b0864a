/**
 * The difference between a row and the one before it, as JSON: a row is some kilobytes, a step changes some hundred bytes
 * of it. A row in Redis is the text of a whole row and the deltas of the steps since.
 *
 * 1. Steps copy what they change, so a value that is the same object has not changed.
 * 2. Of a field that is a list, or whose values are entries (`split`), only the items and entries that changed are in it.
 */
import { isObject } from '../define/json.ts';
import type { StepRow } from '../step/row.ts';

/** The fields of a row of which a step changes a part. */
export type Split<R> = readonly (keyof R & string)[];

type Values = Record<string, unknown>;

/** `drop`: items that left the front of the list, before the others; `length`: of the list after that. */
type ListChange = { drop: number; length: number; items: Values };
type EntriesChange = { removed: string[]; entries: Values };

export interface Delta {
  set: Values;
  /** Fields that the row does not have any more. */
  absent: string[];
  lists: Record<string, ListChange>;
  split: Record<string, EntriesChange>;
}

/** @param shown parts that are written in place of the row's own */
export function deltaOf<R extends StepRow>(row: R, before: R, split: Split<R>, shown: Partial<R> = {}): Delta {
  const delta: Delta = { set: {}, absent: [], lists: {}, split: {} };
  for (const name in row) {
    const [value, old]: unknown[] = [row[name], before[name]];
    if (value === old || name === 'version') continue;
    if (value === undefined) delta.absent.push(name);
    else if (!split.includes(name)) delta.set[name] = value;
    else if (Array.isArray(value) && Array.isArray(old)) {
      delta.lists[name] = listChange(value, (shown[name] ?? value) as unknown[], old);
    } else if (isObject(value) && isObject(old)) delta.split[name] = entriesChange(value, old);
    else delta.set[name] = shown[name] ?? value;
  }
  for (const name in before) if (!(name in row)) delta.absent.push(name);
  return delta;
}

type Item = { version?: number } | null;

function listChange(list: readonly Item[], shown: readonly unknown[], old: readonly Item[]): ListChange {
  // Only lists of numbered steps lose their first items.
  const first = list[0]?.version;
  const found = old.findIndex((item) => item?.version === first);
  const drop = list.length === 0 || found < 0 ? old.length : found;
  const items: Values = {};
  for (const [at, item] of list.entries()) if (item !== old[at + drop]) items[at] = shown[at];
  return { drop, length: list.length, items };
}

function entriesChange(entries: Values, old: Values): EntriesChange {
  const change: EntriesChange = { removed: [], entries: {} };
  for (const key in entries) if (entries[key] !== old[key]) change.entries[key] = entries[key];
  for (const key in old) if (!(key in entries)) change.removed.push(key);
  return change;
}

/** Changes a row that was read, by the delta of the step after it. */
export function apply(row: Values, { set, absent, lists, split }: Delta): void {
  Object.assign(row, set);
  for (const name of absent) delete row[name];
  for (const name in lists) {
    const { drop, length, items } = lists[name] as ListChange;
    const list = row[name] as unknown[];
    list.splice(0, drop);
    for (const at in items) list[Number(at)] = items[at];
    list.length = length;
  }
  for (const name in split) {
    const { removed, entries } = split[name] as EntriesChange;
    for (const key of removed) delete (row[name] as Values)[key];
    Object.assign(row[name] as Values, entries);
  }
}
