/** Checks of the lines of an import that need no store: schemas, secrets, duplicates; and the references between them. */

import { validator } from '../../platform/validation/validator.ts';
import { NodewrightError, type Violation, violationList } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import type { RecordType, StoredRecords, UniqueValue } from './record-kind.ts';
import type { Sealing } from './sealing.ts';
import { LineError, type TransferLine } from './transfer-format.ts';
import { redactedPath } from './transfer-reader.ts';

/** The rules of the API. */
export interface InputRules {
  /** The schema of each kind of record. */
  schemas: Readonly<Record<RecordType, object>>;
  /** Rejects what a store cannot hold. @throws NodewrightError INVALID */
  rejectUnstorable(record: JsonObject): void;
}

/** A valid line. Its secrets are encrypted for the store. */
export interface CheckedLine {
  at: number;
  kind: StoredRecords;
  id: string;
  record: JsonObject;
  withheld: readonly string[];
  uniques: readonly UniqueValue[];
}

/** A reference, and the first line that has it. */
export interface OpenReference {
  at: number;
  path: string;
  type: RecordType;
  id: string;
}

export class LineChecks {
  readonly #kinds: ReadonlyMap<RecordType, StoredRecords>;
  readonly #rules: InputRules;
  readonly #sealing: Sealing;
  /** Keys of what must be in a file once, with their lines. */
  readonly #lineNumbers = new Map<string, number>();
  readonly #references = new Map<string, OpenReference>();

  constructor(kinds: readonly StoredRecords[], rules: InputRules, sealing: Sealing) {
    this.#kinds = new Map(kinds.map((kind) => [kind.type, kind]));
    this.#rules = rules;
    this.#sealing = sealing;
  }

  /** @throws LineError */
  check(at: number, line: TransferLine): CheckedLine {
    const checked = this.read(at, line);
    const { kind, id, record, uniques } = checked;
    this.#once(at, `${kind.type} ${id}`, 'the id');
    for (const { path, value } of uniques) this.#once(at, `${kind.type}: ${path} ${value}`, path);
    for (const { path, type, id } of kind.references?.(record) ?? []) {
      const key = `${type} ${id}`;
      if (!this.#references.has(key)) this.#references.set(key, { at, path, type, id });
    }
    return checked;
  }

  /** Checks the line for itself. @throws LineError */
  read(at: number, { type, record: given, withheld = [] }: TransferLine): CheckedLine {
    const kind = this.#kinds.get(type);
    if (kind === undefined) throw new Error(`the kind ${type} is missing`);
    rejecting(() => this.#rules.rejectUnstorable(given));
    reject(validator.violations(this.#rules.schemas[type], given));
    const redacted = redactedPath(given, withheld);
    if (redacted !== undefined) {
      throw new LineError(`record.${redacted}: found REDACTED, expected the secret, or its place in withheld`);
    }
    const record = rejecting(() => {
      const encryptedRecord = this.#sealing.sealValue(given);
      reject(kind.violations?.(encryptedRecord) ?? []);
      return encryptedRecord;
    });
    return { at, kind, id: kind.idOf(record), record, withheld, uniques: kind.uniques?.(record) ?? [] };
  }

  #once(at: number, key: string, what: string): void {
    const before = this.#lineNumbers.get(key);
    if (before !== undefined && before !== at) {
      throw new LineError(`found ${what} of line ${before} again, expected each once`);
    }
    this.#lineNumbers.set(key, at);
  }

  /** Returns the references that no line of the file resolves. */
  openReferences(): OpenReference[] {
    return [...this.#references].flatMap(([key, reference]) => (this.#lineNumbers.has(key) ? [] : [reference]));
  }
}

function reject(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const placed = violations.map(({ path, message }) => ({ path: path === '' ? 'record' : `record.${path}`, message }));
  throw new LineError(violationList(placed));
}

function rejecting<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NodewrightError)) throw error;
    const { violations = [], message } = error;
    if (violations.length > 0) reject(violations);
    throw new LineError(message);
  }
}
