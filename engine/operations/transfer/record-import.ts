/**
 * Imports the lines of an export into a store that no daemon uses.
 *
 * 1. Every line is checked before anything is written: for itself, against the other lines, and against the store.
 * 2. A record that is stored already is skipped, so an import that was interrupted is run again. One that differs is
 *    rejected, or replaced if that is wanted.
 * 3. A secret that the file does not have is taken from the stored record, if there is one.
 */
import { isDeepStrictEqual } from 'node:util';
import { groups } from '../../platform/store/pages.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { type CheckedLine, type InputRules, LineChecks } from './line-checks.ts';
import type { RecordChange, StoredRecords } from './record-kind.ts';
import { type Sealing, supplyFields } from './sealing.ts';
import { LineError } from './transfer-format.ts';
import { readTransfer, resultOf } from './transfer-reader.ts';

export interface LineProblem {
  line: number;
  message: string;
}

export interface ImportOptions {
  file: string;
  rules: InputRules;
  /** Whether records that differ are replaced. */
  replace: boolean;
  /** Called with each record that still lacks secrets. */
  lacking(line: number, type: string, id: string, paths: readonly string[]): void;
}

export interface ImportCounts {
  added: number;
  replaced: number;
  equal: number;
}

const PROBLEMS = 100;
/** Records that are read, and written, together. */
const GROUP = 100;

interface ComparedRecord extends RecordChange {
  line: CheckedLine;
  isEqual: boolean;
  /** Secrets that neither the file nor the store has. */
  lacking: string[];
}

export class Import {
  readonly #kinds: readonly StoredRecords[];
  readonly #sealing: Sealing;
  readonly #options: ImportOptions;

  constructor(kinds: readonly StoredRecords[], sealing: Sealing, options: ImportOptions) {
    this.#kinds = kinds;
    this.#sealing = sealing;
    this.#options = options;
  }

  /** @returns the problems, at most 100: none means that `write` may be called */
  async check(): Promise<{ problems: LineProblem[]; counts: ImportCounts }> {
    const problems: LineProblem[] = [];
    const counts: ImportCounts = { added: 0, replaced: 0, equal: 0 };
    const checks = new LineChecks(this.#kinds, this.#options.rules, this.#sealing);
    const add = (line: number, message: string) => problems.push({ line, message });
    /** How many there will be. */
    const totals = new Map<StoredRecords, number>();
    for await (const group of groups(this.#lines(checks, add), GROUP)) {
      for (const compared of await this.#compareLines(group)) {
        count(counts, compared);
        const { kind, at } = compared.line;
        if (compared.before === undefined && kind.limit !== undefined) {
          const total = (totals.get(kind) ?? (await kind.count())) + 1;
          totals.set(kind, total);
          if (total === kind.limit + 1) add(at, `found more than ${kind.limit} of ${kind.type}, the maximum`);
        }
        for (const message of await this.#conflicts(compared)) add(compared.line.at, message);
      }
      if (problems.length >= PROBLEMS) break;
    }
    if (problems.length < PROBLEMS) {
      for (const { at, path, type, id } of await this.#danglingReferences(checks)) {
        add(at, `record.${path}: found no ${type} ${JSON.stringify(id.slice(0, 100))} in the file or the store`);
      }
    }
    return { problems: problems.sort((one, other) => one.line - other.line).slice(0, PROBLEMS), counts };
  }

  async *#lines(checks: LineChecks, add: (line: number, message: string) => void): AsyncGenerator<CheckedLine> {
    let errorCount = 0;
    for await (const read of readTransfer(this.#options.file)) {
      if (read.kind === 'error') add(read.at, read.message);
      else if (read.kind === 'record') {
        const checked = resultOf(() => checks.check(read.at, read.line));
        if (checked instanceof LineError) add(read.at, checked.message);
        else yield checked;
        errorCount += checked instanceof LineError ? 1 : 0;
      }
      if (errorCount >= PROBLEMS) return;
    }
  }

  async #compareLines(lines: readonly CheckedLine[]): Promise<ComparedRecord[]> {
    const stored = new Map<string, JsonObject>();
    for (const kind of new Set(lines.map((line) => line.kind))) {
      const ids = lines.filter((line) => line.kind === kind).map(({ id }) => id);
      for (const record of await kind.byIds(ids)) stored.set(`${kind.type} ${kind.idOf(record)}`, record);
    }
    return lines.map((line) => {
      const { kind, id, withheld } = line;
      const before = stored.get(`${kind.type} ${id}`);
      const record = before === undefined ? line.record : supplyFields(line.record, withheld, before);
      const isEqual = before !== undefined && isDeepStrictEqual(this.#form(kind.normal(record)), this.#form(before));
      return { line, record, before, isEqual, lacking: before === undefined ? [...withheld] : [] };
    });
  }

  /** The time of a change says nothing about the record. */
  #form({ updatedAt: _, ...record }: JsonObject): JsonObject {
    return this.#sealing.readableValue(record);
  }

  async #conflicts({ line, before, isEqual }: ComparedRecord): Promise<string[]> {
    if (isEqual) return [];
    const { kind, id, uniques } = line;
    const conflicts: string[] = [];
    if (before !== undefined && !this.#options.replace) {
      conflicts.push(`found another record of ${kind.type} ${id} in the store, expected an equal one; add --replace`);
    }
    for (const unique of uniques) {
      const owner = await kind.owner(unique, id);
      if (owner !== undefined)
        conflicts.push(`record.${unique.path}: ${kind.type} ${owner} in the store has the same value`);
    }
    return conflicts;
  }

  async #danglingReferences(checks: LineChecks) {
    const open = checks.openReferences();
    const knownIds = new Set<string>();
    for (const kind of this.#kinds) {
      const ids = open.filter(({ type }) => type === kind.type).map(({ id }) => id);
      for (const record of await kind.byIds(ids)) knownIds.add(`${kind.type} ${kind.idOf(record)}`);
    }
    return open.filter(({ type, id }) => !knownIds.has(`${type} ${id}`));
  }

  /** Writes all records, in the order of the file. */
  async write(): Promise<ImportCounts> {
    const counts: ImportCounts = { added: 0, replaced: 0, equal: 0 };
    const checks = new LineChecks(this.#kinds, this.#options.rules, this.#sealing);
    for await (const group of groups(this.#again(checks), GROUP)) {
      const compared = await this.#compareLines(group);
      for (const one of compared) {
        count(counts, one);
        if (one.lacking.length === 0) continue;
        this.#options.lacking(one.line.at, one.line.kind.type, one.line.id, one.lacking);
      }
      for (const kind of this.#kinds) {
        const changes = compared.filter(({ line, isEqual }) => line.kind === kind && !isEqual);
        if (changes.length > 0) await kind.write(changes);
      }
    }
    return counts;
  }

  /** The file may have changed since it was checked. */
  async *#again(checks: LineChecks): AsyncGenerator<CheckedLine> {
    for await (const read of readTransfer(this.#options.file)) {
      if (read.kind === 'error') throw new LineError(`line ${read.at}: ${read.message}`);
      if (read.kind === 'record') yield checks.read(read.at, read.line);
    }
  }
}

function count(counts: ImportCounts, { isEqual, before }: ComparedRecord): void {
  if (isEqual) counts.equal += 1;
  else if (before === undefined) counts.added += 1;
  else counts.replaced += 1;
}
