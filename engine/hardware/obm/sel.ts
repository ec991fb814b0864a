/**
 * Reads the new entries of a BMC's system event log by ipmitool.
 *
 * 1. Most polls find nothing new, and cost one short command: the number of entries, and
 *    when the log was last added to and cleared.
 * 2. A log that was cleared, or whose last known entry is no longer at its position, is read from the beginning.
 * 3. Of a longer log only the newest entries count (`NEWEST`). ipmitool walks through the others too, so the time that it gets grows with
 *    the log.
 */

import { MIB } from '../../vocabulary/units.ts';
import type { IpmiCommand } from './ipmitool.ts';

/** Fields as ipmitool names and prints them, such as `Sensor Type` and `Description`. */
export type SelEntry = Record<string, string>;

/** Whether an entry, also of Redfish, says that a condition has ended. */
export const endsCondition = ({ 'Event Direction': direction = '', EntryCode: code = '' }: SelEntry): boolean =>
  direction.startsWith('Deassertion') || code === 'Deassert';

/** Read position in a log. */
export interface SelMark {
  entries: number;
  /** By the BMC's clock, or `Not Available`. */
  added: string;
  cleared: string;
  /** The last entry read, as JSON; null: none. */
  last: string | null;
}

export interface SelNews {
  /** Oldest first. */
  entries: SelEntry[];
  mark: SelMark;
}

export type IpmiRun = (command: Omit<IpmiCommand, 'timeoutMs'> & { timeoutMs?: number }) => Promise<string>;

/** More than the logs of most BMCs have; ipmitool prints some 700 bytes for each. */
const NEWEST = 4_000;
const LIST_BYTES = 8 * MIB;
/** ms of the shortest and the longest listing; a BMC takes some 10 ms for each entry. */
const [SHORTEST_MS, LONGEST_MS, ENTRY_MS] = [120_000, 600_000, 25];
const UNKNOWN = 'Not Available';

export const textOf = (entry: SelEntry): string => JSON.stringify(entry);

/** @param mark read position of the last poll; undefined: none */
export async function newsOf(run: IpmiRun, mark: SelMark | undefined, signal: AbortSignal): Promise<SelNews> {
  const info = infoIn(await run({ args: ['sel', 'info'], signal }));
  if (mark !== undefined && isSame(info, mark)) return { entries: [], mark };
  const read = info.entries === 0 ? [] : await entriesSince(run, info, mark, signal);
  const last = read.at(-1);
  const lastEntry = info.entries === 0 ? null : (mark?.last ?? null);
  return { entries: read, mark: { ...info, last: last === undefined ? lastEntry : textOf(last) } };
}

type Info = Omit<SelMark, 'last'>;

function infoIn(said: string): Info {
  const fields = entryIn(said);
  return {
    entries: Number(fields.Entries ?? 0),
    added: fields['Last Add Time'] ?? UNKNOWN,
    cleared: fields['Last Del Time'] ?? UNKNOWN,
  };
}

/** Without times, the number of entries alone proves nothing: it stays the same when new entries replace old ones. */
const isSame = (info: Info, mark: SelMark): boolean =>
  info.entries === mark.entries &&
  info.added === mark.added &&
  info.cleared === mark.cleared &&
  (info.entries === 0 || info.added !== UNKNOWN);

async function entriesSince(run: IpmiRun, info: Info, mark: SelMark | undefined, signal: AbortSignal) {
  const lastEntry = mark?.last ?? null;
  const timeoutMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ENTRY_MS * info.entries));
  const list = async (count: number) => {
    const args = ['sel', 'list', 'last', String(count)];
    return entriesIn(await run({ args, signal, timeoutMs, outputLimit: LIST_BYTES }));
  };
  const added = info.entries - (mark?.entries ?? 0);
  if (lastEntry !== null && info.cleared === mark?.cleared && added >= 0 && added < NEWEST) {
    const [first, ...others] = await list(added + 1);
    if (first !== undefined && textOf(first) === lastEntry) return others;
  }
  const all = await list(NEWEST);
  return all.slice(all.findLastIndex((entry) => textOf(entry) === lastEntry) + 1);
}

/** Parses one block of lines `Key : Value` per entry, separated by empty lines. */
const entriesIn = (said: string): SelEntry[] =>
  said
    .split(/\n\s*\n/)
    .map(entryIn)
    .filter((entry) => entry['SEL Record ID'] !== undefined);

function entryIn(block: string): SelEntry {
  const pairs = block.split('\n').flatMap((line) => {
    const [key = '', ...rest] = line.split(': ');
    return key.trim() === '' || key.includes(':') || rest.length === 0
      ? []
      : [[key.trim(), rest.join(': ').trim()] as const];
  });
  return Object.fromEntries(pairs);
}
