/** The workflows of a node as bars over time, in as few rows as they fit without covering each other. */

export interface RunOfWorkflow {
  id: string;
  /** ISO 8601; null: it has not started. */
  startedAt: string | null;
  /** null: it is active. */
  finishedAt: string | null;
}

interface Bar<T extends RunOfWorkflow> {
  ran: T;
  /** From 0 to 1 of the width. */
  left: number;
  width: number;
  row: number;
}

export interface Bars<T extends RunOfWorkflow> {
  bars: Bar<T>[];
  rows: number;
  /** ms since 1970. */
  from: number;
  to: number;
}

/** A shorter bar could not be seen, nor clicked. */
const LEAST = 0.008;

/** @param now ms since 1970 */
export function barsOf<T extends RunOfWorkflow>(workflows: readonly T[], now: number): Bars<T> {
  const started = workflows
    .filter(({ startedAt }) => startedAt !== null)
    .map((ran) => ({ ran, from: Date.parse(String(ran.startedAt)), to: endOf(ran, now) }))
    .toSorted((a, b) => a.from - b.from);
  const from = started[0]?.from ?? now;
  const to = Math.max(from + 1, ...started.map(({ to: end }) => end));
  /** The end of the last bar in each row. */
  const ends: number[] = [];
  const bars = started.map(({ ran, from: begin, to: end }): Bar<T> => {
    const width = Math.max(LEAST, (end - begin) / (to - from));
    const startShare = Math.min((begin - from) / (to - from), 1 - width);
    const free = ends.findIndex((last) => last <= startShare);
    const row = free < 0 ? ends.length : free;
    ends[row] = startShare + width;
    return { ran, left: startShare, width, row };
  });
  return { bars, rows: ends.length, from, to };
}

const endOf = ({ finishedAt }: RunOfWorkflow, now: number): number =>
  finishedAt === null ? now : Date.parse(finishedAt);
