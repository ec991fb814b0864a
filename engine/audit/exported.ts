/** Verifies exported entries of the audit log, without the store: lines of JSON, each an entry or a list of entries. */
import type { AuditCheck, AuditEntry } from '../api-port/index.ts';
import { isObject, listIn } from '../define/json.ts';
import { ChainCheck, type ChainEnd } from './chain.ts';

export interface ExportCheck extends AuditCheck {
  /** The entry before the first one: the hash shows which chain this is a part of. */
  after: ChainEnd | undefined;
  /** The last correct entry. */
  end: ChainEnd | undefined;
}

function entriesIn(line: string, at: number): AuditEntry[] {
  try {
    const value: unknown = JSON.parse(line);
    const all = Array.isArray(value) ? listIn(value) : [value];
    if (all.every((one) => isObject(one))) return all as unknown as AuditEntry[];
  } catch {
    // Reported below.
  }
  throw new Error(`line ${at}: found no JSON object, expected an entry of the audit log`);
}

/** @throws Error when a line is not JSON */
export async function checkExport(lines: AsyncIterable<string>): Promise<ExportCheck> {
  let check: ChainCheck | undefined;
  let after: ChainEnd | undefined;
  let at = 0;
  for await (const line of lines) {
    at += 1;
    if (line.trim() === '') continue;
    for (const entry of entriesIn(line, at)) {
      after ??= { seq: entry.seq - 1, hash: entry.previous };
      check ??= new ChainCheck(after);
      check.add(entry);
    }
  }
  return { ...(check?.result ?? { ok: true, checked: 0, brokenAt: null }), after, end: check?.end };
}
