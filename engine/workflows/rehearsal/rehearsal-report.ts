/** The report of a rehearsal: what its runs have in common. */
import type { RehearsalBasis, RehearsalReport } from '../../api-port/rehearsals.ts';
import type { RolloutLimits } from '../../api-port/rollouts.ts';
import { withoutNumbers } from '../../durable/step/failure-cause.ts';
import type { RehearsedRun } from './rehearsed-run.ts';

const FAILED_SHOWN = 20;
const PEAKS_SHOWN = 20;
const OPENINGS_SHOWN = 20;

export function reportOf(
  runs: readonly RehearsedRun[],
  basis: RehearsalBasis,
  rejections: RehearsalReport['rejections'],
  limits: RolloutLimits,
): RehearsalReport {
  return {
    basis,
    runs: runs.length,
    durationMs: spreadOf(runs.map(({ durationMs }) => durationMs)),
    phases: phasesOf(runs),
    failures: failuresOf(runs),
    gates: gatesOf(runs),
    windows: windowsOf(runs),
    peaks: peaksOf(runs, limits),
    left: Math.max(0, ...runs.map(({ left }) => left)),
    rejections,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function spreadOf(values: readonly number[]): RehearsalReport['durationMs'] {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
}

function phasesOf(runs: readonly RehearsedRun[]): RehearsalReport['phases'] {
  const spreadIn = (index: number, key: 'startedMs' | 'finishedMs') => {
    const times = runs.flatMap(({ phases }) => phases[index]?.[key] ?? []);
    return times.length === 0 ? null : spreadOf(times);
  };
  return (runs[0]?.phases ?? []).map((_, index) => ({
    index,
    startedMs: spreadIn(index, 'startedMs'),
    finishedMs: spreadIn(index, 'finishedMs'),
  }));
}

function failuresOf(runs: readonly RehearsedRun[]): RehearsalReport['failures'] {
  const causes = new Map<string, { code: string; message: string; nodes: Set<string>; counts: number[] }>();
  for (const [n, { failures }] of runs.entries()) {
    for (const { node, error } of failures) {
      const { code } = error;
      const message = withoutNumbers(error.message);
      const cause = `${code} ${message}`;
      const all = causes.get(cause) ?? { code, message, nodes: new Set(), counts: runs.map(() => 0) };
      causes.set(cause, all);
      if (all.nodes.size < FAILED_SHOWN) all.nodes.add(node);
      all.counts[n] = (all.counts[n] ?? 0) + 1;
    }
  }
  return [...causes.values()]
    .map(({ code, message, nodes, counts }) => ({ code, message, ...spreadOf(counts), nodes: [...nodes] }))
    .sort((a, b) => b.p50 - a.p50 || b.p90 - a.p90);
}

function gatesOf(runs: readonly RehearsedRun[]): RehearsalReport['gates'] {
  const trips = runs.flatMap(({ trip }) => trip ?? []);
  return [...new Set(trips.map(({ index }) => index))].sort().map((index) => {
    const same = trips.filter((trip) => trip.index === index).sort((a, b) => a.atMs - b.atMs);
    const { phase = 0, atMs = 0 } = same[same.length >> 1] ?? {};
    return { index, trips: same.length, at: { phase, ms: atMs } };
  });
}

function windowsOf(runs: readonly RehearsedRun[]): RehearsalReport['windows'] {
  const middle = runs.toSorted((a, b) => a.closings.length - b.closings.length)[runs.length >> 1];
  return (middle?.closings ?? [])
    .slice(0, OPENINGS_SHOWN)
    .map(({ at, leftMs }) => ({ closedAt: new Date(at).toISOString(), tooShortMs: leftMs }));
}

/** A node that has one target at a time shares nothing; it is a peak only where a limit asks for that. */
function peaksOf(runs: readonly RehearsedRun[], { per = {} }: RolloutLimits): RehearsalReport['peaks'] {
  const peaks = new Map<string, number>();
  for (const run of runs)
    for (const [place, running] of run.peaks) peaks.set(place, Math.max(running, peaks.get(place) ?? 0));
  return [...peaks]
    .sort((a, b) => b[1] - a[1])
    .map(([place, running]) => {
      const at = place.indexOf(' ');
      return { relation: place.slice(0, at), parent: place.slice(at + 1), running };
    })
    .filter(({ relation, running }) => running > 1 || relation in per)
    .slice(0, PEAKS_SHOWN);
}
