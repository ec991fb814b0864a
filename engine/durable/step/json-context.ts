/** Contexts and outputs are saved as JSON: other values would be lost, or differ after a restart. */
import { NESTING_LIMIT } from '../../vocabulary/json.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { LogicStep } from './logic.ts';

/** Characters, of texts and keys: each step saves them, and a document of MongoDB has at most 16 MiB. */
const CONTEXT_LIMIT = 8 * MIB;

/** A value of the graph's own code that cannot be saved. */
export class UnsavableError extends Error {}

/** @param before the context of the step before, which is not looked at again. @throws Error that names the value */
export function checkStep({ snapshot, ending }: LogicStep, before: unknown): void {
  if (snapshot.context !== before) checkJson(snapshot.context, 'context');
  if (ending !== undefined && 'output' in ending) checkJson(ending.output, 'output');
}

/** @throws Error that names the value */
export function checkJson(root: unknown, name: string): void {
  let size = 0;
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') size += value.length;
    if (size > CONTEXT_LIMIT)
      throw new UnsavableError(
        `the ${name} has more than ${CONTEXT_LIMIT} characters; keep large values in a catalog or a file`,
      );
    if (['bigint', 'function', 'symbol'].includes(typeof value)) throw notJson(path, `a ${typeof value}`);
    if (typeof value !== 'object' || value === null) return;
    if (!isPlain(value)) throw notJson(path, `of the class ${value.constructor.name}`);
    if (depth > NESTING_LIMIT) throw notJson(path, `nested deeper than ${NESTING_LIMIT} levels`);
    for (const [key, each] of Object.entries(value)) {
      size += key.length;
      look(each, `${path}.${key}`, depth + 1);
    }
  };
  look(root, name, 0);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}

const notJson = (path: string, found: string) =>
  new UnsavableError(
    `${path} is ${found}; expected JSON, because it is saved: a text, number, boolean, null, list or plain object`,
  );
