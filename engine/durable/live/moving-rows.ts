/** The rows of one kind that are ahead of their documents in the embedded store, with their history since. */

import type { Statement } from '../../platform/store/database-requests.ts';
import type { JournaledCollection } from '../../platform/store/journal.ts';
import { byIds } from '../../platform/store/pages.ts';
import { property } from '../../vocabulary/json.ts';
import type { HistoryStep, StepRow } from '../step/row.ts';
import { deltaOf } from './delta.ts';
import type { FixedConditions } from './fixed-fields.ts';
import { chunksOf, type StoredHistory } from './history-log.ts';
import type { JournalRecord } from './journal-record.ts';
import type { RowWrite } from './port.ts';
import type { RowKind } from './redis-rows.ts';

/** The part of a kind of rows that the journal needs. */
export type JournaledKind<R extends StepRow> = Pick<
  RowKind<R>,
  'name' | 'fixed' | 'isOver' | 'restAfterMs' | 'historyStep'
>;

interface MovingRow<R> {
  row: R;
  /** The number of the first entry that its document lacks. */
  first: number;
  /** When that was written; ms of the monotonic clock. */
  since: number;
  /** Those that the documents of the history lack. */
  steps: HistoryStep[];
}

/** More objects than this would be in memory for long: then the oldest become documents before their time. */
const MOVING_LIMIT = 2_000;

/** A write of a row, which becomes a part of an entry. */
export class PlannedWrite<R extends StepRow = StepRow> {
  readonly rows: MovingRows<R>;
  readonly row: R;
  readonly #before: R | undefined;

  constructor(rows: MovingRows<R>, { row, before }: RowWrite<R>) {
    this.rows = rows;
    this.row = row;
    this.#before = before;
  }

  get id(): string {
    return this.row.id;
  }

  /** Names the row among those of all kinds. */
  get key(): string {
    return this.rows.keyOf(this.id);
  }

  get version(): number {
    return this.row.version;
  }

  /** The version that it changes; 0: there is no such row. */
  get expectedVersion(): number {
    return this.#before?.version ?? 0;
  }

  /** The version of the row; undefined: it is its document. */
  get knownVersion(): number | undefined {
    return this.rows.get(this.id)?.version;
  }

  /** Whether the row is in memory, and it ends. */
  get isLast(): boolean {
    return this.knownVersion !== undefined && this.rows.kind.isOver(this.row);
  }

  /** @throws NodewrightError INVALID if the row could not become a document */
  check(): void {
    this.rows.documents.check(this.row, this.#before);
  }

  record(): JournalRecord {
    const before = this.#before;
    const change =
      before === undefined ? { row: this.row } : { from: before.version, delta: deltaOf(this.row, before) };
    return [this.rows.kind.name, this.id, this.version, change];
  }

  /** @param n number of the entry that has it */
  accept(n: number): void {
    this.rows.accept(this.row, n);
  }
}

export class MovingRows<R extends StepRow = StepRow> {
  readonly kind: JournaledKind<R>;
  readonly documents: JournaledCollection<R>;
  readonly #history: JournaledCollection<StoredHistory> | undefined;
  /** By id, in the order of their first entries. */
  readonly #moving = new Map<string, MovingRow<R>>();
  /** Their ids by each fixed field and its value: a read of one node's workflows does not look at all others. */
  readonly #idsByValue: ReadonlyMap<string, Map<unknown, Set<string>>>;

  constructor(kind: JournaledKind<R>, documents: JournaledCollection<R>, history?: JournaledCollection<StoredHistory>) {
    this.kind = kind;
    this.documents = documents;
    this.#history = history;
    this.#idsByValue = new Map(kind.fixed.map((field) => [field, new Map()]));
  }

  get(id: string): R | undefined {
    return this.#moving.get(id)?.row;
  }

  keyOf(id: string): string {
    return `${this.kind.name} ${id}`;
  }

  all(): R[] {
    return Array.from(this.#moving.values(), ({ row }) => row);
  }

  /** @param conditions on the id and on fixed fields. @returns rows, with all that meet them */
  rowsNear([condition]: FixedConditions): R[] {
    if (condition === undefined) return this.all();
    const [field, values] = condition;
    const ids = this.#idsByValue.get(field);
    const near = ids === undefined ? [...values] : [...values].flatMap((value) => [...(ids.get(value) ?? [])]);
    return near.flatMap((id) => this.get(id as string) ?? []);
  }

  stepsOf(id: string): readonly HistoryStep[] {
    return this.#moving.get(id)?.steps ?? [];
  }

  accept(row: R, n: number): void {
    const moving = this.#moving.get(row.id) ?? this.#add(row, n);
    moving.row = row;
    const step = this.kind.historyStep(row);
    if (step !== undefined) moving.steps.push(step);
  }

  #add(row: R, first: number): MovingRow<R> {
    const moving = { row, first, since: performance.now(), steps: [] };
    this.#moving.set(row.id, moving);
    for (const [field, ids] of this.#idsByValue) {
      const value = property(row, field);
      ids.set(value, (ids.get(value) ?? new Set()).add(row.id));
    }
    return moving;
  }

  /** The documents of these rows are as new as they are, or removed. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      const row = this.get(id);
      if (row === undefined) continue;
      this.#moving.delete(id);
      for (const [field, idsOf] of this.#idsByValue) {
        const value = property(row, field);
        const same = idsOf.get(value);
        if (same?.delete(id) && same.size === 0) idsOf.delete(value);
      }
    }
  }

  /** Returns the versions of documents that exist. */
  async versionsOf(ids: readonly string[]): Promise<Map<string, number>> {
    return new Map((await byIds(this.documents, ids)).map(({ id, version }) => [id, version]));
  }

  /** Returns rows that have waited long for their documents, oldest first. @param all also those that have not */
  idleRows(limit: number, all: boolean): R[] {
    const until = performance.now() - (all ? 0 : this.kind.restAfterMs);
    let surplus = this.#moving.size - MOVING_LIMIT;
    const found: R[] = [];
    for (const { row, since } of this.#moving.values()) {
      if (found.length === limit || (since > until && surplus <= 0)) break;
      surplus -= 1;
      found.push(row);
    }
    return found;
  }

  /** Returns the number of the first entry that rows need, apart from these; none: infinity. */
  firstEntry(leaving: ReadonlyMap<string, unknown>): number {
    for (const [id, { first }] of this.#moving) if (!leaving.has(id)) return first;
    return Number.POSITIVE_INFINITY;
  }

  /** Returns the statements that make documents of rows and of their history. */
  documentsOf(rows: readonly R[]): Statement[] {
    if (rows.length === 0) return [];
    const chunks = rows.flatMap((row) => chunksOf(this.#stepsUpTo(row)));
    const history = this.#history !== undefined && chunks.length > 0 ? [this.#history.putting(chunks)] : [];
    return [...history, this.documents.putting(rows)];
  }

  /** Returns the statements that remove a row and its history. */
  removing(id: string): Statement[] {
    const history = this.#history === undefined ? [] : [this.#history.removing({ workflow: id })];
    return [...history, this.documents.removing({ id })];
  }

  removal(id: string): JournalRecord {
    return [this.kind.name, id, 0, null];
  }

  #stepsUpTo(row: R): readonly HistoryStep[] {
    const steps = this.stepsOf(row.id);
    const last = this.get(row.id) === row ? undefined : this.kind.historyStep(row);
    return last === undefined ? steps : [...steps, last];
  }
}
