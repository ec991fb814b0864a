/**
 * The chain of the audit log: the hash of an entry is the SHA-256, in hex, of the hash before it followed by the entry as
 * canonical JSON (RFC 8785) without the fields `previous` and `hash`. A change of one entry thus changes all later hashes.
 */
import { createHash } from 'node:crypto';
import type { AuditCheck, AuditEntry } from '../api-port/index.ts';

/** The last entry before a part of the chain. */
export interface ChainEnd {
  seq: number;
  hash: string;
}

export const CHAIN_START: ChainEnd = { seq: 0, hash: '0'.repeat(64) };

/** Keys sorted; entries contain only texts, integers, nulls and lists of texts, so this is RFC 8785. */
function canonical(fields: object): string {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

export function entryHash({ previous, hash: _, ...fields }: Omit<AuditEntry, 'hash'> & { hash?: string }): string {
  return createHash('sha256')
    .update(previous + canonical(fields))
    .digest('hex');
}

/** Verifies entries in their order. After the first violation nothing more is verified. */
export class ChainCheck {
  #end: ChainEnd;
  #checked = 0;
  #brokenAt: number | null = null;

  /** @param end the end of the chain before the first entry */
  constructor(end: ChainEnd) {
    this.#end = end;
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
    this.#checked += 1;
    return true;
  }

  /** The last correct entry. */
  get end(): ChainEnd {
    return this.#end;
  }

  get result(): AuditCheck {
    return { ok: this.#brokenAt === null, checked: this.#checked, brokenAt: this.#brokenAt };
  }
}
