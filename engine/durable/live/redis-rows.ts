/** The rows of one kind in Redis: their keys, and calls of their scripts. */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { shownError } from '../../platform/redis/redis-errors.ts';
import { Replicas } from '../../platform/redis/redis-replicas.ts';
import { RedisScripts } from '../../platform/redis/redis-scripts.ts';
import type { VersionedDocument } from '../../platform/store/port.ts';
import type { HistoryStep, StepRow } from '../step/row.ts';
import { apply, type Delta, deltaOf } from './delta.ts';
import type { RecordedRow, RowWrite } from './port.ts';
import { RecordDelay } from './record-delay.ts';
import { type RowScript, type ScriptName, scripts, type WritingScript } from './scripts.ts';

/** The differences between the kinds of rows. */
export interface RowKind<R extends StepRow> {
  name: string;
  /** The fields that filters use. */
  filtered: readonly (keyof R & string)[];
  /** Those of them that have one text or null, which never changes; beside the id. */
  fixed: readonly string[];
  /** Whether its document follows immediately; otherwise only when it rests. */
  isRecordedAtOnce: boolean;
  /** When its next timer is due, in ms since the epoch. */
  timerAt(row: R): number | null;
  /** Whether no step follows: it rests when nothing is pending. */
  isOver(row: R): boolean;
  /** Returns the ms from the creation to the end of a row that is over. */
  lifetimeMs(row: R): number;
  /** Whether replicas must have the write before it is answered, if the configuration asks for replicas. Absent: never. */
  isClaim?(row: R, before: R | undefined): boolean;
  /**
   * Returns the workflow that holds the node, or '', if the next launch, or the end of that workflow, depends on nothing else in
   * the row. Undefined: it does; absent: no row of this kind is a node.
   */
  holderOf?(row: R): string | undefined;
  /** ms without a save after which an idle row rests that is not over. */
  restAfterMs: number;
  /** ms after which another process continues what one has begun. */
  holdMs: number;
  /** Returns the history of the row's last step, if it has lines. */
  historyStep(row: R): HistoryStep | undefined;
  /** The same as one text, and the parts of the row without it. */
  history(row: R): { lines: string; shown?: Partial<R> };
}

type IndexName = 'left' | 'idle' | 'due' | 'unrecorded';

const KEY_PREFIX = 'nodewright:{live}';
const ROWS_PER_READ = 200;
/** The fields of deltas, with the versions of their rows. */
const DELTA = 'd';
/** Versions after which a row is written whole again. */
const FOLD_EVERY = 16;
/** `!rest` of a row that is activating. */
const ACTIVATING = 2;
/** At the end of a node's list: it has a holder instead of a version. */
const IS_HOLDER = true;

export class RedisRows<R extends StepRow> {
  readonly kind: RowKind<R>;
  readonly #connections: RedisConnections;
  readonly recordDelay = new RecordDelay();
  readonly #lines = new WeakMap<R, string>();
  readonly #scripts: RedisScripts<ScriptName>;
  /** Keys that each script of rows gets. */
  readonly shared: readonly string[];
  /** Absent: the configuration asks for no replicas. */
  readonly #replicated: RedisScripts<ScriptName> | undefined;

  constructor(kind: RowKind<R>, connections: RedisConnections) {
    this.kind = kind;
    this.#connections = connections;
    this.#scripts = new RedisScripts(connections, scripts);
    const indexes = (['left', 'idle', 'due', 'unrecorded'] as const).map((name) => this.#index(name));
    this.shared = [...indexes, EPOCH_KEY];
    const { replicas } = connections;
    if (replicas > 0 && kind.isClaim) {
      this.#replicated = new RedisScripts(new Replicas(connections, replicas), scripts);
    }
  }

  /** Returns the history lines that were written with the row. */
  linesOf(row: R): string {
    return this.#lines.get(row) ?? '';
  }

  /** Returns the rows that are in Redis. */
  async getAll(ids: readonly string[]): Promise<R[]> {
    if (ids.length === 0) return [];
    const pipeline = this.#connections.commands.pipeline();
    for (const id of ids) pipeline.hgetall(this.#key(id));
    const replies = (await this.#connections.within(pipeline.exec())) as [Error | null, Record<string, string>][];
    return replies.flatMap(([error, fields]) => {
      if (error !== null) throw shownError(error);
      return fields['!v'] === undefined ? [] : [this.#decodeRow(fields)];
    });
  }

  /**
   * Returns the row of a document; of one that rests, as its activation brings it back, so that a step can follow. No step
   * follows on a row that is over.
   */
  read({ phase, ...fields }: RecordedRow<R>): R {
    const row = fields as unknown as R;
    return phase === 'moving' || this.kind.isOver(row) ? row : { ...row, version: row.version + 1 };
  }

  #decodeRow(fields: Record<string, string>): R {
    const row = JSON.parse(fields.base as string) as Record<string, unknown>;
    const versions = Object.keys(fields).flatMap((name) => (name.startsWith(DELTA) ? [Number(name.slice(1))] : []));
    for (const version of versions.sort((a, b) => a - b)) {
      apply(row, JSON.parse(fields[DELTA + version] as string) as Delta);
    }
    row.version = Number(fields['!v']);
    return row as unknown as R;
  }

  async *each(ids: readonly string[]): AsyncGenerator<R> {
    for (let from = 0; from < ids.length; from += ROWS_PER_READ)
      yield* await this.getAll(ids.slice(from, from + ROWS_PER_READ));
  }

  /** @returns the reply for each row, in one round trip; if one is a claim, when replicas have all */
  write(script: WritingScript, changes: readonly RowWrite<R>[]): Promise<number[]> {
    const isReplicated =
      (script === 'save' || script === 'insert' || script === 'resume') &&
      changes.some((change) => this.isReplicated(change));
    return this.allRows(
      script,
      changes.map(({ row }) => row.id),
      changes.map((change) => this.textsOf(script, change)),
      isReplicated ? this.#replicated : this.#scripts,
    );
  }

  /** Returns the texts of a row for a script that writes it. */
  textsOf(script: WritingScript, { row, before }: RowWrite<R>): string[] {
    const { lines, shown } = this.kind.history(row);
    if (lines !== '') this.#lines.set(row, lines);
    const isRecorded = script === 'revive' || (before !== undefined && !this.isFilteredDifferently(before, row));
    const timerAt = this.kind.timerAt(row);
    const isWhole = before === undefined || isFolded(before, row);
    const placing = [
      row.id,
      String((before ?? row).version),
      isWhole,
      row.pending,
      before?.pending ?? null,
      this.kind.isOver(row) ? 0 : this.kind.restAfterMs,
      timerAt ?? '',
      before === undefined || this.kind.timerAt(before) !== timerAt,
      isRecorded ? '' : this.recordDelay.takeoverMs,
      script === 'revive' ? ACTIVATING : '',
      this.kind.holderOf?.(row) ?? null,
    ];
    const body = isWhole ? { ...row, ...shown } : deltaOf(row, before, shown);
    return [JSON.stringify(placing), JSON.stringify(body), lines];
  }

  /** The same for a row that follows from its holder, and that is not pending. @param holder before it, or '' */
  textsOfHold(holder: string, row: R): string[] {
    const { restAfterMs } = this.kind;
    const holderNow = this.kind.holderOf?.(row) ?? null;
    const placing = [
      row.id,
      holder,
      true,
      false,
      false,
      restAfterMs,
      '',
      false,
      this.recordDelay.takeoverMs,
      '',
      holderNow,
      IS_HOLDER,
    ];
    return [JSON.stringify(placing), JSON.stringify(row), ''];
  }

  isFilteredDifferently(before: R, row: R): boolean {
    return this.kind.filtered.some((name) => before[name] !== row[name]);
  }

  /** @returns the reply for each row */
  run(script: Exclude<RowScript, WritingScript>, rows: readonly Pick<R, 'id' | 'version'>[]): Promise<number[]> {
    return this.allRows(
      script,
      rows.map(({ id }) => id),
      rows.map(({ id, version }) => [JSON.stringify([id, String(version)])]),
    );
  }

  /** @param texts of each row, as its script takes them */
  async allRows(
    script: RowScript,
    ids: readonly string[],
    texts: readonly (readonly string[])[],
    scripts = this.#scripts,
  ): Promise<number[]> {
    if (ids.length === 0) return [];
    const keys = [...this.shared, ...ids.flatMap((id) => this.keysOf(id))];
    const [replies] = await scripts.run([{ script, keys, args: texts.flat() }]);
    return replies as number[];
  }

  isReplicated({ row, before }: RowWrite<R>): boolean {
    return this.#replicated !== undefined && this.kind.isClaim?.(row, before) === true;
  }

  async ids(index: IndexName, until: number | string = '+inf'): Promise<string[]> {
    return this.#connections.within(this.#connections.commands.zrangebyscore(this.#index(index), '-inf', until));
  }

  /** Returns the ids that were set more than the given ms ago. */
  async olderThan(index: IndexName, ms: number): Promise<string[]> {
    const [ids] = await this.#scripts.run([{ script: 'older', keys: [this.#index(index)], args: [ms] }]);
    return ids as string[];
  }

  /** Returns ids whose time has come, which no other process gets for some time. */
  async take(index: IndexName, limit: number, holdMs: number): Promise<string[]> {
    const [ids] = await this.#scripts.run([{ script: 'take', keys: [this.#index(index)], args: [limit, holdMs] }]);
    return ids as string[];
  }

  /** Returns the keys of a row for a script. */
  keysOf(id: string): string[] {
    return [this.#key(id), linesKey(this.kind.name, id), `${KEY_PREFIX}:${this.kind.name}:gone:${id}`];
  }

  #key(id: string): string {
    return `${KEY_PREFIX}:${this.kind.name}:row:${id}`;
  }

  #index(name: IndexName): string {
    return `${KEY_PREFIX}:${this.kind.name}:${name}`;
  }
}

/** Whether the row is written whole, instead of its deltas. */
const isFolded = (before: VersionedDocument, row: VersionedDocument): boolean =>
  Math.floor(before.version / FOLD_EVERY) !== Math.floor(row.version / FOLD_EVERY);

/** Set when Redis has all rows that it should have. */
export const EPOCH_KEY = `${KEY_PREFIX}:epoch`;

/** The processes, each with the server on which it has restored its rows. */
export const RESTORED_KEY = `${KEY_PREFIX}:restored`;

export const linesKey = (kind: string, id: string): string => `${KEY_PREFIX}:${kind}:lines:${id}`;
