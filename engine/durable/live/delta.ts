/**
 * The difference between a row and the one before it, as JSON: a row is some kilobytes, a step changes some hundred bytes
 * of it. A row in Redis is the text of a whole row and the deltas of the steps since.
 *
 * Steps copy what they change: a value that is the same object has not changed, and of others only the parts are compared.
 */
import { isObject, property } from '../../vocabulary/json.ts';

type Values = Record<string, unknown>;

/** A change of an object: its new values, the changes of its other values, and the keys that it lost. */
export interface Delta {
  set?: Values;
  in?: Record<string, Delta | ListDelta>;
  lost?: string[];
}

/** A change of a list. `drop`: items that left its front, before the others; `length`: of the list after that. */
interface ListDelta extends Pick<Delta, 'set' | 'in'> {
  drop: number;
  length: number;
}

/** Deeper values are written whole: what steps change is not deeper, and hostile data may be. */
const MAX_DEPTH = 6;

/** @param shown values instead of the row's own */
export function deltaOf<R extends object>(row: R, before: R, shown: Partial<R> = {}): Delta {
  const delta = objectDelta(row as Values, before as Values, 0) ?? {};
  for (const name in shown) if (delta.in?.[name] !== undefined) show(delta.in[name], shown[name] as unknown[]);
  return delta;
}

/** Replaces the items of a list. */
function show(delta: Delta | ListDelta, items: readonly unknown[]): void {
  for (const at in delta.set) delta.set[at] = items[Number(at)];
}

function objectDelta(value: Values, old: Values, depth: number): Delta | undefined {
  const delta: Delta = {};
  for (const key in value) {
    const next = value[key];
    const last = Object.hasOwn(old, key) ? old[key] : undefined;
    if (next === undefined && last !== undefined) lose(delta, key);
    else if (next !== last) note(delta, key, next, changeOf(next, last, depth));
  }
  for (const key in old) if (!Object.hasOwn(value, key)) lose(delta, key);
  return isEmpty(delta) && delta.lost === undefined ? undefined : delta;
}

function lose(delta: Delta, key: string): void {
  delta.lost ??= [];
  delta.lost.push(key);
}

function note(delta: Delta | ListDelta, key: string, value: unknown, change: Change): void {
  if (change === WHOLE) {
    delta.set ??= {};
    put(delta.set, key, value);
  } else if (change !== undefined) {
    delta.in ??= {};
    put(delta.in, key, change);
  }
}

const isEmpty = (delta: Delta | ListDelta): boolean => delta.set === undefined && delta.in === undefined;

/** The value is written as it is. */
const WHOLE = Symbol('whole');

/** Undefined: nothing has changed. */
type Change = Delta | ListDelta | typeof WHOLE | undefined;

function changeOf(value: unknown, old: unknown, depth: number): Change {
  if (depth === MAX_DEPTH) return WHOLE;
  if (Array.isArray(value)) return Array.isArray(old) ? listDelta(value, old, depth + 1) : WHOLE;
  return isObject(value) && isObject(old) ? objectDelta(value, old, depth + 1) : WHOLE;
}

function listDelta(list: readonly unknown[], old: readonly unknown[], depth: number): ListDelta | undefined {
  const drop = droppedCount(list, old);
  const delta: ListDelta = { drop, length: list.length };
  for (const [at, item] of list.entries()) {
    const place = at + drop;
    if (item !== old[place] || place >= old.length) note(delta, String(at), item, changeOf(item, old[place], depth));
  }
  return drop === 0 && list.length === old.length && isEmpty(delta) ? undefined : delta;
}

/** Only lists of numbered items lose their first ones. */
function droppedCount(list: readonly unknown[], old: readonly unknown[]): number {
  if (list.length === 0) return old.length;
  const first = property(list[0], 'version');
  if (first === undefined) return 0;
  const found = old.findIndex((item) => property(item, 'version') === first);
  return found < 0 ? old.length : found;
}

/** Changes a row that was read, by the delta of the step after it. */
export function apply(value: Values, { set, in: inner, lost }: Delta): void {
  for (const key in set) put(value, key, set[key]);
  for (const key in inner) change(value[key], inner[key] as Delta | ListDelta);
  for (const key of lost ?? []) delete value[key];
}

function change(value: unknown, delta: Delta | ListDelta): void {
  if (Array.isArray(value)) changeList(value, delta as ListDelta);
  else apply(value as Values, delta as Delta);
}

function changeList(list: unknown[], { drop, length, set, in: inner }: ListDelta): void {
  list.splice(0, drop);
  for (const at in set) list[Number(at)] = set[at];
  for (const at in inner) change(list[Number(at)], inner[at] as Delta | ListDelta);
  list.length = length;
}

/** A key such as `__proto__`, which others wrote, is a key as any other. */
function put(value: Values, key: string, next: unknown): void {
  if (key in value && !Object.hasOwn(value, key)) {
    Object.defineProperty(value, key, { value: next, enumerable: true, configurable: true, writable: true });
  } else value[key] = next;
}
