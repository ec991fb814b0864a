/** Values that code of authors makes, and that rows keep as JSON. */
import { NESTING_LIMIT } from './json.ts';
import { CHARACTER_BYTES, jsonBytes, VALUE_BYTES } from './json-bytes.ts';
import { MIB } from './units.ts';

/** Bytes of JSON: each step saves them, and a document of MongoDB has at most 16 MiB. */
const CONTEXT_LIMIT = 8 * MIB;
/** The fewest bytes that JSON has for a value: an empty object in a list has three, a number and its comma two. */
const LEAST_BYTES = 2;

/** A value of an author's code that cannot be saved, whatever a task returned; the message names its place. */
export class UnsavableError extends Error {}

/**
 * Returns the value that JSON makes of it: no `undefined`, no `-0`. The value itself, if that is the same.
 * @param name begins the path of a value in an error. @throws UnsavableError; Error for `NaN` and `Infinity`
 */
export function savedJson(value: unknown, name: string): unknown {
  const { isSame, lostNumber } = checkJson(value, name);
  // Not the other error: the output of a task may explain it, as `Number(undefined)` shows.
  if (lostNumber !== undefined) throw new Error(textOf(name, lostNumber));
  return isSame || value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/**
 * @returns whether JSON returns the same value; `lostNumber` is a `NaN` or `Infinity`, of which JSON makes null
 * @throws UnsavableError
 */
export function checkJson(root: unknown, name: string): { isSame: boolean; lostNumber: Place | undefined } {
  const walk = new Walk();
  const problem = walk.look(root, 0);
  if (problem !== undefined) throw new UnsavableError(textOf(name, problem));
  // The text, which takes long, is made of large values only.
  if (walk.leastBytes > CONTEXT_LIMIT || (walk.mostBytes > CONTEXT_LIMIT && jsonBytes(root) > CONTEXT_LIMIT))
    throw new UnsavableError(
      `the ${name} has more than ${CONTEXT_LIMIT} bytes as JSON; keep large values in a catalog or a file`,
    );
  return walk;
}

/** A value that cannot be saved. Callers prepend their key to the path: without a problem no path is made. */
interface Place {
  path: string;
  found: string;
}

class Walk {
  isSame = true;
  lostNumber: Place | undefined;
  #characters = 0;
  #values = 0;

  get leastBytes(): number {
    return this.#characters + this.#values * LEAST_BYTES;
  }

  get mostBytes(): number {
    return this.#characters * CHARACTER_BYTES + this.#values * VALUE_BYTES;
  }

  /** Returns the first value that cannot be saved; it ends early where there are too many values. */
  look(value: unknown, depth: number): Place | undefined {
    this.#values += 1;
    switch (typeof value) {
      case 'string':
        this.#characters += value.length;
        return undefined;
      case 'number':
        if (Object.is(value, -0)) this.isSame = false;
        if (!Number.isFinite(value)) this.lostNumber ??= { path: '', found: String(value) };
        return undefined;
      case 'undefined':
        this.isSame = false;
        return undefined;
      case 'boolean':
        return undefined;
      case 'object':
        return value === null ? undefined : this.#lookInto(value, depth);
      default:
        return { path: '', found: `a ${typeof value}` };
    }
  }

  #lookInto(value: object, depth: number): Place | undefined {
    if (!isPlain(value)) return { path: '', found: `of the class ${value.constructor.name}` };
    if (depth > NESTING_LIMIT) return { path: '', found: `nested deeper than ${NESTING_LIMIT} levels` };
    const keys = Object.keys(value);
    const isList = Array.isArray(value);
    // An item that a list lacks becomes null, and other properties of a list are lost.
    if (isList && keys.length !== value.length) {
      this.isSame = false;
      this.#values += value.length;
    }
    for (const key of keys) {
      if (!isList) this.#characters += key.length;
      if (this.leastBytes > CONTEXT_LIMIT) return undefined;
      const { lostNumber } = this;
      const problem = this.look(Reflect.get(value, key), depth + 1);
      if (lostNumber === undefined && this.lostNumber !== undefined) prepend(this.lostNumber, key);
      if (problem !== undefined) return prepend(problem, key);
    }
    return undefined;
  }
}

function prepend(place: Place, key: string): Place {
  place.path = `.${key}${place.path}`;
  return place;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}

const textOf = (name: string, { path, found }: Place) =>
  `${name}${path} is ${found}; expected JSON, because it is saved: a text, finite number, boolean, null, list or plain object`;
