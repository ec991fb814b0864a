/** The conditions of a filter on fields that never change: they hold for a row if and only if they hold for its document. */
import { LRUCache } from 'lru-cache';
import type { Filter } from '../../platform/store/port.ts';
import { property } from '../../vocabulary/json.ts';

/** The values that a row must have in each field; fields without a condition, or with one of another form, are left out. */
export type FixedConditions = readonly (readonly [field: string, values: ReadonlySet<unknown>])[];

/** @param fields have one text or null in each row */
export const fixedConditions = (filter: Filter, fields: readonly string[]): FixedConditions =>
  fields.flatMap((field) => {
    const condition = filter[field];
    const values = typeof condition === 'string' ? [condition] : textsIn(condition);
    return values === undefined ? [] : [[field, new Set(values)] as const];
  });

export const meetsAll = (row: object, conditions: FixedConditions): boolean =>
  conditions.every(([field, values]) => values.has((row as Record<string, unknown>)[field]));

/** @returns the values of `{ $in: [...] }`, if they are texts */
function textsIn(condition: unknown): string[] | undefined {
  const values = property(condition, '$in');
  return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : undefined;
}

/** Rows whose fixed fields are known: more than a daemon usually has in motion, at some 100 bytes each. */
const KNOWN_ROWS = 20_000;

/** The fixed fields of the rows that this process has read, so that filters do not read the same rows again. */
export class KnownFields {
  readonly #fields: readonly string[];
  readonly #byId = new LRUCache<string, Readonly<Record<string, unknown>>>({ max: KNOWN_ROWS });

  /** @param fields as for `fixedConditions`, beside the id */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  note(rows: readonly { id: string }[]): void {
    for (const row of rows) {
      if (this.#byId.has(row.id)) continue;
      const values = this.#fields.map((field) => [field, property(row, field)]);
      this.#byId.set(row.id, Object.fromEntries([['id', row.id], ...values]));
    }
  }

  /** @returns true also for a row that is not known */
  mayMeet(id: string, conditions: FixedConditions): boolean {
    const known = this.#byId.get(id);
    if (known !== undefined) return meetsAll(known, conditions);
    return conditions.every(([field, values]) => field !== 'id' || values.has(id));
  }
}
