/** Prints what a verification of the audit log found, and compares it with an entry that was noted before. */
import { InvalidArgumentError } from 'commander';
import type { ChainEnd, ChainReport } from '../../engine/api-port/index.ts';
import { countText } from '../../engine/vocabulary/count-texts.ts';
import { EXIT } from './exit-codes.ts';
import { say } from './terminal.ts';

/** The option, with its description. */
export const KNOWN = [
  '--known <seq:hash>',
  'an entry that an earlier verification printed, which must be the same',
] as const;

/** The value of `--known`: `<seq>:<hash>`, as an earlier verification printed it. */
export function chainEnd(text: string): ChainEnd {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new InvalidArgumentError('expected <seq>:<hash>, as verify prints the first and the last entry');
  }
  return { seq: Number(seq), hash };
}

const endText = ({ seq, hash }: ChainEnd): string => `${seq}:${hash}`;

const comparisons = {
  same: (notedEnd: ChainEnd) => `Entry ${notedEnd.seq} has the hash that was noted.`,
  other: (notedEnd: ChainEnd) =>
    `Entry ${notedEnd.seq} has another hash than ${notedEnd.hash}: the chain was made anew.`,
  absent: (notedEnd: ChainEnd) =>
    `Entry ${notedEnd.seq} is not there: it was removed, or the end of the chain is missing.`,
};

export function sayChecked(report: ChainReport, noted: ChainEnd | undefined): void {
  const { ok, checked, brokenAt, first, last, known } = report;
  say(
    ok
      ? `The chain is unbroken: ${countText(checked, 'entry', 'entries')}.`
      : `The chain is broken at entry ${brokenAt}, after ${checked} correct ones.`,
  );
  if (first !== undefined && last !== undefined) say(`first ${endText(first)}\nlast ${endText(last)}`);
  if (known !== undefined && noted !== undefined) say(comparisons[known](noted));
}

export const exitCodeOfReport = ({ ok, known = 'same' }: ChainReport): number =>
  ok && known === 'same' ? EXIT.succeeded : EXIT.failed;
