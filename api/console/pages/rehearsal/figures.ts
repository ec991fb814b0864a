/** The figures of a rehearsal, each beside that of the real rollout. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { duration } from '../../../client/times.ts';
import { nameOfNode } from '../../data/nodes.ts';

type Rehearsal = GetAnswer<'/rehearsals/:id'>;
type Report = Rehearsal['report'];
type Spread = Report['durationMs'];

export interface RealRollout {
  rollout: GetAnswer<'/rollouts/:id'>;
  /** Its failed targets. */
  failed: GetAnswer<'/rollouts/:id/targets'>;
}

interface Figure {
  what: string;
  /** In the run in the middle. */
  usual: string;
  /** In one of ten runs it is more. */
  most: string;
  actual: string;
}

const none = '';
const timesOf = (spread: Spread | null) =>
  spread === null ? { usual: 'never', most: none } : { usual: duration(spread.p50), most: duration(spread.p90) };

export function figuresOf(report: Report, phases: Rehearsal['phases'], real: RealRollout | undefined): Figure[] {
  const began = real?.rollout.phases[0]?.startedAt ?? null;
  const since = (at: string | null | undefined): string =>
    began === null || at === null || at === undefined ? none : duration(Date.parse(at) - Date.parse(began));
  const { gates, windows, peaks, left } = report;
  const tripped = real?.rollout.reason?.gate?.index;
  return [
    { what: 'all of it', ...timesOf(report.durationMs), actual: since(real?.rollout.finishedAt) },
    ...report.phases.flatMap(({ index, startedMs, finishedMs }): Figure[] => {
      const phase = real?.rollout.phases[index];
      const what = `phase ${index + 1}, ${countText(phases[index]?.targets ?? 0, 'target')}`;
      return [
        { what: `${what}: begins after`, ...timesOf(startedMs), actual: since(phase?.startedAt) },
        { what: `${what}: ends after`, ...timesOf(finishedMs), actual: since(phase?.finishedAt) },
      ];
    }),
    ...failuresOf(report, real),
    ...gates.map(({ index, trips, at }) => ({
      what: `gate ${index + 1} trips`,
      usual: `in ${trips} of ${report.runs} runs, in phase ${at.phase + 1} after ${duration(at.ms)}`,
      most: none,
      actual: tripped === index ? `after ${since(real?.rollout.reason?.since)}` : none,
    })),
    ...windows.map(({ closedAt, tooShortMs }) => ({
      what: `window that closes after ${closedAt}`,
      usual: `${duration(tooShortMs)} too short`,
      most: none,
      actual: none,
    })),
    ...(left === 0
      ? []
      : [{ what: 'targets that no opening has room for', usual: String(left), most: none, actual: none }]),
    ...peaks.map(({ relation, parent, running }) => ({
      what: `at a time: ${relation} ${nameOfNode(parent)}`,
      usual: `at most ${running}`,
      most: none,
      actual: none,
    })),
  ];
}

/** Codes that only the real rollout has are listed too. */
function failuresOf({ failures }: Report, real: RealRollout | undefined): Figure[] {
  const counts = new Map<string, number>();
  for (const { error } of real?.failed ?? []) {
    const code = error?.code ?? 'unknown';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const byCode = new Map(failures.map((failure) => [failure.code, failure]));
  return [...new Set([...byCode.keys(), ...counts.keys()])].map((code) => {
    const { p50 = 0, p90 = 0 } = byCode.get(code) ?? {};
    const actual = real === undefined ? none : String(counts.get(code) ?? 0);
    return { what: `failures: ${code}`, usual: String(p50), most: String(p90), actual };
  });
}
