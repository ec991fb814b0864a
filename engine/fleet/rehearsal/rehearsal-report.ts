/** The report of a rehearsal: what its runs have in common. */
import type { RehearsedRun } from './rehearsed-run.ts';

/** `measured`: durations and failures are those of earlier runs of this site; `models`: those of twins of the site's machines. */
export type RehearsalBasis = 'measured' | 'models';

interface Spread {
  p50: number;
  p90: number;
}

export interface RehearsalReport {
  basis: RehearsalBasis;
  runs: number;
  /** Until the last end, or until a gate trips. */
  durationMs: Spread;
  /** By code: the failures of a run, the newest message, and nodes on which it occurred. */
  failures: ({ code: string; message: string; nodes: string[] } & Spread)[];
  /** The gates that tripped: in how many runs, and when, in the run in the middle. */
  gates: { index: number; trips: number; at: { phase: number; ms: number } }[];
  /** The openings of the window that were too short, by the work that followed in later ones, in the run in the middle. */
  windows: { closedAt: string; tooShortMs: number }[];
  /** The most targets that ran at a time and share a node in a relation. */
  peaks: { relation: string; parent: string; running: number }[];
  /** Targets that no opening of the window had room for, in the run with the most. */
  left: number;
  refusals: { node: string; code: string; message: string }[];
}

const NODES_SHOWN = 20;
const PEAKS_SHOWN = 20;
const OPENINGS_SHOWN = 20;

export function reportOf(
  runs: readonly RehearsedRun[],
  basis: RehearsalBasis,
  refusals: RehearsalReport['refusals'],
): RehearsalReport {
  return {
    basis,
    runs: runs.length,
    durationMs: spreadOf(runs.map(({ durationMs }) => durationMs)),
    failures: failuresOf(runs),
    gates: gatesOf(runs),
    windows: windowsOf(runs),
    peaks: peaksOf(runs),
    left: Math.max(0, ...runs.map(({ left }) => left)),
    refusals,
  };
}

/** A gate trips in half of the runs, or a target would be rejected, or no opening has room for one. */
export const isDoubtful = ({ runs, gates, refusals, left }: RehearsalReport): boolean =>
  refusals.length > 0 || left > 0 || gates.some(({ trips }) => 2 * trips >= runs);

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
}

function failuresOf(runs: readonly RehearsedRun[]): RehearsalReport['failures'] {
  const byCode = new Map<string, { message: string; nodes: Set<string>; counts: number[] }>();
  for (const [n, { failures }] of runs.entries()) {
    for (const { node, error } of failures) {
      const all = byCode.get(error.code) ?? { message: '', nodes: new Set(), counts: runs.map(() => 0) };
      byCode.set(error.code, all);
      all.message = error.message;
      if (all.nodes.size < NODES_SHOWN) all.nodes.add(node);
      all.counts[n] = (all.counts[n] ?? 0) + 1;
    }
  }
  return [...byCode]
    .map(([code, { message, nodes, counts }]) => ({ code, message, ...spreadOf(counts), nodes: [...nodes] }))
    .sort((a, b) => b.p50 - a.p50 || b.p90 - a.p90);
}

function gatesOf(runs: readonly RehearsedRun[]): RehearsalReport['gates'] {
  const trips = runs.flatMap(({ trip }) => trip ?? []);
  return [...new Set(trips.map(({ index }) => index))].sort().map((index) => {
    const own = trips.filter((trip) => trip.index === index).sort((a, b) => a.atMs - b.atMs);
    const { phase = 0, atMs = 0 } = own[own.length >> 1] ?? {};
    return { index, trips: own.length, at: { phase, ms: atMs } };
  });
}

function windowsOf(runs: readonly RehearsedRun[]): RehearsalReport['windows'] {
  const middle = runs.toSorted((a, b) => a.closings.length - b.closings.length)[runs.length >> 1];
  return (middle?.closings ?? [])
    .slice(0, OPENINGS_SHOWN)
    .map(({ at, leftMs }) => ({ closedAt: new Date(at).toISOString(), tooShortMs: leftMs }));
}

function peaksOf(runs: readonly RehearsedRun[]): RehearsalReport['peaks'] {
  const peaks = new Map<string, number>();
  for (const run of runs)
    for (const [place, running] of run.peaks) peaks.set(place, Math.max(running, peaks.get(place) ?? 0));
  return [...peaks]
    .sort((a, b) => b[1] - a[1])
    .slice(0, PEAKS_SHOWN)
    .map(([place, running]) => {
      const at = place.indexOf(' ');
      return { relation: place.slice(0, at), parent: place.slice(at + 1), running };
    });
}
