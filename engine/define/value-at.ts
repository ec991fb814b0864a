/** Values in JSON by a path of names and indexes. */
import { property } from '../vocabulary/json.ts';

/** @returns undefined if there is none */
export const valueAt = (json: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => property(value, key), json);
