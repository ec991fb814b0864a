/** Whether two JSON values are deeply equal: lists in order, objects in any order. */
import { property } from '../../vocabulary/json.ts';

export function isEqual(a: unknown, b: unknown): boolean {
  // JSON has a negative zero too; both zeros are equal.
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => isEqual(one, b[at]));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(property(a, key), property(b, key)))
  );
}
