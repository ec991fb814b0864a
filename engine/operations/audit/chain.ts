/**
 * The chain of the audit log: the hash of an entry is the SHA-256, in hex, of the hash before it followed by the entry as
 * canonical JSON (RFC 8785) without the fields `previous` and `hash`. A change of one entry thus changes all later hashes.
 */
import { createHash } from 'node:crypto';
import type { AuditCheck, AuditEntry, ChainEnd, ChainReport } from '../../api-port/index.ts';

export const CHAIN_START: ChainEnd = { seq: 0, hash: '0'.repeat(64) };

/** Keys sorted; entries contain only texts, integers, nulls and lists of texts, so this is RFC 8785. */
function canonicalJson(fields: object): string {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

export function entryHash({ previous, hash: _, ...fields }: Omit<AuditEntry, 'hash'> & { hash?: string }): string {
  return createHash('sha256')
    .update(previous + canonicalJson(fields))
    .digest('hex');
}

/** Verifies entries in their order. After the first violation nothing more is verified. */
export class ChainCheck {
  #end: ChainEnd;
  #first: ChainEnd | undefined;
  #checked = 0;
  #brokenAt: number | null = null;
  readonly #notedEnd: ChainEnd | undefined;
  #comparison: 'same' | 'other' | 'absent' = 'absent';

  /**
   * @param end the end of the chain before the first entry
   * @param notedEnd an entry that was noted elsewhere: a chain that was computed anew does not have its hash
   */
  constructor(end: ChainEnd, notedEnd?: ChainEnd) {
    this.#end = end;
    this.#notedEnd = notedEnd;
    this.#compare(end);
  }

  #compare({ seq, hash }: ChainEnd): void {
    if (this.#notedEnd?.seq === seq) this.#comparison = this.#notedEnd.hash === hash ? 'same' : 'other';
  }

  /** @returns whether the chain is unbroken */
  add(entry: AuditEntry): boolean {
    if (this.#brokenAt !== null) return false;
    const { seq, hash } = this.#end;
    const isNext = entry.seq === seq + 1 && entry.previous === hash && entry.hash === entryHash(entry);
    if (!isNext) {
      this.#brokenAt = seq + 1;
      return false;
    }
    this.#end = { seq: entry.seq, hash: entry.hash };
    this.#first ??= this.#end;
    this.#compare(this.#end);
    this.#checked += 1;
    return true;
  }

  get result(): AuditCheck {
    return { ok: this.#brokenAt === null, checked: this.#checked, brokenAt: this.#brokenAt };
  }

  get report(): ChainReport {
    const [first, comparison] = [this.#first, this.#notedEnd && this.#comparison];
    return { ...this.result, first, last: first && this.#end, known: comparison };
  }
}
