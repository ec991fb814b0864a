/** Values that code of authors makes, and that rows keep as JSON. */
import { NESTING_LIMIT } from './json.ts';
import { MIB } from './units.ts';

/** Characters, of texts and keys: each step saves them, and a document of MongoDB has at most 16 MiB. */
const CONTEXT_LIMIT = 8 * MIB;

/** A value of an author's code that cannot be saved, whatever a task returned; the message names its place. */
export class UnsavableError extends Error {}

/**
 * Returns the value that JSON makes of it: no `undefined`, no `-0`. The value itself, if that is the same.
 * @param name begins the path of a value in an error. @throws UnsavableError; Error for `NaN` and `Infinity`
 */
export function savedJson(value: unknown, name: string): unknown {
  const isSame = checkJson(value, name, (path, number) => {
    // Not the other error: the output of a task may explain it, as `Number(undefined)` shows.
    throw new Error(textOf(path, String(number)));
  });
  return isSame || value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/**
 * @param lostNumber is called for `NaN` and `Infinity`, of which JSON makes null
 * @returns whether JSON returns the same value
 * @throws UnsavableError
 */
export function checkJson(
  root: unknown,
  name: string,
  lostNumber: (path: string, number: number) => void = () => {},
): boolean {
  let size = 0;
  let isSame = true;
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') size += value.length;
    if (size > CONTEXT_LIMIT)
      throw new UnsavableError(
        `the ${name} has more than ${CONTEXT_LIMIT} characters; keep large values in a catalog or a file`,
      );
    if (['bigint', 'function', 'symbol'].includes(typeof value)) throw notJson(path, `a ${typeof value}`);
    if (typeof value === 'number' && !Number.isFinite(value)) lostNumber(path, value);
    if (value === undefined || Object.is(value, -0)) isSame = false;
    if (typeof value !== 'object' || value === null) return;
    if (!isPlain(value)) throw notJson(path, `of the class ${value.constructor.name}`);
    if (depth > NESTING_LIMIT) throw notJson(path, `nested deeper than ${NESTING_LIMIT} levels`);
    const entries = Object.entries(value);
    // An item that a list lacks becomes null.
    if (Array.isArray(value) && entries.length !== value.length) isSame = false;
    for (const [key, each] of entries) {
      size += key.length;
      look(each, `${path}.${key}`, depth + 1);
    }
  };
  look(root, name, 0);
  return isSame;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}

const textOf = (path: string, found: string) =>
  `${path} is ${found}; expected JSON, because it is saved: a text, finite number, boolean, null, list or plain object`;

const notJson = (path: string, found: string) => new UnsavableError(textOf(path, found));
