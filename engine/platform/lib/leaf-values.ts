/** The texts, numbers and truth values in a value, by their paths. */
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { isObject } from '../../vocabulary/json.ts';

export type LeafValue = string | number | boolean;

const LEAF_DEPTH = 8;

/** @param path of the value @param limit of leaves; what comes after them is left out @param longest of a text */
export function leafValues(
  value: unknown,
  path: string,
  limit: number,
  longest: number,
): [path: string, value: LeafValue][] {
  const leaves: [string, LeafValue][] = [];
  const add = (inner: unknown, at: string, depth: number): void => {
    if (leaves.length >= limit || depth > LEAF_DEPTH) return;
    if (isObject(inner)) for (const [key, each] of Object.entries(inner)) add(each, `${at}.${key}`, depth + 1);
    else if (isLeaf(inner) && String(inner).length <= longest) leaves.push([at, inner]);
  };
  add(value, path, 0);
  return leaves;
}

/** A secret that is hidden has no value to compare. */
const isLeaf = (value: unknown): value is LeafValue =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '' && value !== REDACTED;
