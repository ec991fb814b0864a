/** Verifies exported entries of the audit log, without the store: lines of JSON, each an entry or a list of entries. */
import type { AuditEntry, ChainEnd, ChainReport } from '../../api-port/index.ts';
import { isObject, listIn } from '../../vocabulary/json.ts';
import { CHAIN_START, ChainCheck } from './chain.ts';

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

/** @param notedEnd see `ChainCheck` @throws Error when a line is not JSON */
export async function checkExport(lines: AsyncIterable<string>, notedEnd?: ChainEnd): Promise<ChainReport> {
  let check: ChainCheck | undefined;
  let at = 0;
  for await (const line of lines) {
    at += 1;
    if (line.trim() === '') continue;
    for (const entry of entriesIn(line, at)) {
      check ??= new ChainCheck({ seq: entry.seq - 1, hash: entry.previous }, notedEnd);
      check.add(entry);
    }
  }
  return (check ?? new ChainCheck(CHAIN_START, notedEnd)).report;
}
