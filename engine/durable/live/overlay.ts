/**
 * Reads with filters over all rows: the documents, and in their place the rows whose documents are behind. A reader sees
 * every answered write, also those of other processes.
 *
 * A filter on a field that never changes concerns only the rows with its value, which their documents have too. So the
 * documents of one node's workflows are read by a short filter, however many rows they lack.
 */

import type { Collection, Filter, FindOptions } from '../../platform/store/port.ts';
import { Query } from '../../platform/store/query.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import type { StepRow } from '../step/row.ts';
import { type FixedConditions, fixedConditions, meetsAll } from './fixed-fields.ts';
import type { Phase, RecordedRow, RowView } from './port.ts';

interface MovingRows<R> {
  get(id: string): Promise<R | undefined>;
  getAll(ids: readonly string[]): Promise<R[]>;
  /**
   * The rows whose documents are behind in a field of `RowKind.filtered`.
   * @param conditions rows that do not meet them may be left out
   */
  unrecordedRows(conditions: FixedConditions): Promise<R[]>;
  /** All rows that take steps: their documents are behind in other fields. */
  movingRows(): Promise<R[]>;
}

/** Rows that were removed may have left a document. */
export const presentRows: Filter = { phase: { $ne: 'removed' } };

type Documents<R extends StepRow> = Pick<Collection<RecordedRow<R>>, 'find' | 'count' | 'pick' | 'lastOf'>;

const MAX_ROWS = 1_000;

export class Overlay<R extends StepRow> implements RowView<R> {
  readonly #live: MovingRows<R>;
  readonly #record: Documents<R>;
  readonly #shown: Filter;
  readonly #fixed: readonly string[];

  /**
   * @param shown the documents that are rows
   * @param fixed `RowKind.fixed`
   */
  constructor(live: MovingRows<R>, record: Documents<R>, shown: Filter, fixed: readonly string[]) {
    this.#live = live;
    this.#record = record;
    this.#shown = shown;
    this.#fixed = ['id', ...fixed];
  }

  get(id: string): Promise<R | undefined> {
    return this.#live.get(id);
  }

  async find(filter: Filter, options: FindOptions = {}): Promise<R[]> {
    const page = await this.#page(filter, options, (others, asked) => this.#record.find(others, asked));
    const current = new Map(
      (await this.#live.getAll(page.filter(isMoving).map(({ id }) => id))).map((row) => [row.id, row]),
    );
    return page.map(({ phase: _, ...row }) => current.get(row.id) ?? (row as unknown as R));
  }

  async pick<F extends keyof R & string>(fields: readonly F[], filter: Filter, options: FindOptions = {}) {
    const sort = Object.keys(options.sort ?? {}) as F[];
    const all = [...new Set([...fields, ...sort.filter((name) => name !== 'id')])];
    const page = await this.#page(filter, options, (others, asked) => this.#record.pick(all, others, asked));
    return page.map((row) => pickFields(row, fields));
  }

  /** Its field and the time of creation never change, so that a document that is behind is as new as its row. */
  async lastOf<F extends keyof R & string>(
    fields: readonly F[],
    by: NoInfer<F>,
    values: readonly string[],
    limit: number,
  ) {
    const { matching } = await this.#split({ [by]: { $in: [...values] } });
    const recorded = await this.#record.lastOf([...fields, 'createdAt'] as F[], by, values, limit);
    const all = new Map<string, Pick<R, F> & { id: string }>([...recorded, ...matching].map((row) => [row.id, row]));
    const counts = new Map<unknown, number>();
    return [...all.values()].sort(order({ createdAt: -1 })).flatMap((row) => {
      const count = (counts.get(row[by]) ?? 0) + 1;
      counts.set(row[by], count);
      return count > limit ? [] : [pickFields(row, fields)];
    });
  }

  async count(filter: Filter): Promise<number> {
    const { matching, others } = await this.#split(filter);
    return matching.length + (await this.#record.count(others));
  }

  /** The rows of the page are at most as many places further on as there are rows that the documents lack. */
  async #page<T extends { id: string }>(
    filter: Filter,
    { sort = {}, skip = 0, limit = MAX_ROWS }: FindOptions,
    read: (filter: Filter, options: FindOptions) => Promise<T[]>,
  ): Promise<T[]> {
    const { matching, others } = await this.#split(filter);
    const ahead = Math.min(skip, matching.length);
    const asked = { sort, skip: skip - ahead, limit: Math.min(limit, MAX_ROWS) + ahead };
    const rows = [...(await read(others, asked)), ...(matching as unknown as T[])];
    return rows.sort(order(sort)).slice(ahead, ahead + Math.min(limit, MAX_ROWS));
  }

  async #split(filter: Filter): Promise<{ matching: R[]; others: Filter }> {
    const conditions = fixedConditions(filter, this.#fixed);
    const all = await (usesUpdatedAt(filter) ? this.#live.movingRows() : this.#live.unrecordedRows(conditions));
    const behind = all.filter((row) => meetsAll(row, conditions));
    if (behind.length === 0) return { matching: [], others: allOf(filter, this.#shown) };
    const isFixed = conditions.length === Object.keys(filter).length;
    const matching = isFixed ? behind : matchesOf(behind, filter);
    return { matching, others: allOf(filter, { ...this.#shown, id: { $nin: behind.map(({ id }) => id) } }) };
  }
}

function matchesOf<R>(rows: readonly R[], filter: Filter): R[] {
  const test = new Query(filter);
  return rows.filter((row) => test.test(row as never));
}

function pickFields<T, F extends keyof T & string>(row: Pick<T, F> & { id: string }, fields: readonly F[]) {
  const values = fields.map((field) => [field, row[field] ?? null]);
  return Object.fromEntries([['id', row.id], ...values]) as Pick<T, F> & { id: string };
}

/** Every step changes it, and documents do not follow each step. */
const usesUpdatedAt = (filter: Filter): boolean =>
  'updatedAt' in filter || (listIn(filter.$and) as Filter[]).some(usesUpdatedAt);

const isMoving = ({ phase }: { phase?: Phase }): boolean => phase === 'moving';

/** Not as `$and` unless a field is in both: FerretDB uses indexes for fields at the top of a filter only. */
const allOf = (one: Filter, other: Filter): Filter =>
  Object.keys(other).some((key) => key in one) ? { $and: [one, other] } : { ...one, ...other };

/** As the stores sort: absent values first, texts by their code units, ties by id. */
function order(sort: Readonly<Record<string, 1 | -1>>) {
  const keys = [...Object.entries(sort), ...('id' in sort ? [] : [['id', 1] as const])];
  return (a: object, b: object): number => {
    for (const [path, way] of keys) {
      const [left, right] = [valueAt(a, path), valueAt(b, path)];
      if (left === right) continue;
      if (left === null) return -way;
      if (right === null) return way;
      return left < right ? -way : way;
    }
    return 0;
  };
}

const valueAt = (row: object, path: string): string | number | null =>
  (path.split('.').reduce<unknown>(property, row) as string | number | null | undefined) ?? null;
