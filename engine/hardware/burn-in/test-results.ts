/**
 * Judges the reports of the tests. Pure.
 *
 * 1. A test failed if it found a fault, or what it measured is beyond a limit. It is unknown if its tool did not run to its end:
 *    that says nothing about the machine. A machine that restarted, or stopped the test's process, under load failed it.
 * 2. A tool that left no figure did not do its work, whatever its exit code.
 * 3. Each problem says what was found, and what was expected.
 */
import { countText } from '../../vocabulary/count-texts.ts';
import { type Facts, factsOf } from '../erase/facts.ts';
import { type BurnInTest, programs } from './burn-in-tests.ts';
import { numberIn, withoutBraces } from './examined-machine.ts';

export type BurnInVerdict = 'passed' | 'failed' | 'unknown';

export interface TestResult {
  verdict: BurnInVerdict;
  /** The tool. */
  tool: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The least that its figure may be; null: there is no minimum. */
  minimum: number | null;
  /** Measured values, by names with their units. */
  figures: Record<string, unknown>;
  problems: string[];
}

interface Judgement {
  figures: Record<string, unknown>;
  faults: string[];
  /** Why the tool did not do its work. */
  obstacles: string[];
}

type Report = ReadonlyMap<string, Facts>;

const ownFacts = (report: Report): Facts => report.get('') ?? {};
const wordsOf = ({ said: words }: Facts): string => (words ? `: ${words}` : '');

const judges: Record<BurnInTest, (report: Report, floor: number) => Judgement> = {
  cpu(report, floor) {
    const { code, errors, operations, ...facts } = ownFacts(report);
    const measured = numberIn(operations);
    const operationsPerSec = measured === null ? null : Math.round(measured);
    const count = numberIn(errors) ?? 0;
    return {
      figures: { operationsPerSec, errors: count },
      faults: [
        ...(count > 0 ? [`found ${count} wrong results${wordsOf(facts)}; expected none`] : []),
        ...below('operations per second', operationsPerSec, floor),
      ],
      obstacles:
        (code === '0' && measured !== null) || count > 0 ? [] : [`stress-ng ended with ${code}${wordsOf(facts)}`],
    };
  },
  memory(report, floor) {
    const { errors, early, ...facts } = ownFacts(report);
    const [mib, processes, loops] = [facts.mib, facts.processes, facts.loops].map(numberIn);
    const count = numberIn(errors) ?? 0;
    return {
      figures: { mib, processes, loops, errors: count },
      faults: [
        ...(count > 0 ? [`found ${countText(count, 'error')} in ${mib} MiB${wordsOf(facts)}; expected none`] : []),
        ...below('complete loops', loops ?? null, floor),
      ],
      obstacles: early === '0' && loops !== null ? [] : [`memtester ended early${wordsOf(facts)}`],
    };
  },
  disk: (report, floor) => judgeDrives(report, floor, 'read'),
  write: (report, floor) => judgeDrives(report, floor, 'written'),
  network(report, floor) {
    const isSent = report.get('send')?.code === '0';
    const ways = ['send', 'receive'].map((way) => ({ way, facts: report.get(way) ?? {} }));
    const { peer = null } = ownFacts(report);
    return {
      figures: { peer, ...Object.fromEntries(ways.map(({ way, facts }) => [`${way}Mbps`, numberIn(facts.mbps)])) },
      faults: ways.flatMap(({ way, facts: { mbps, code } }) =>
        code === '0' ? below(`Mbit/s (${way})`, numberIn(mbps), floor) : [],
      ),
      obstacles: ways.flatMap(({ way, facts }) =>
        // Nothing is received from a peer to which nothing can be sent.
        (facts.code === '0' && numberIn(facts.mbps) !== null) || (way === 'receive' && !isSent)
          ? []
          : [`iperf3 (${way}) ended with ${facts.code}${wordsOf(facts)}`],
      ),
    };
  },
};

const below = (what: string, value: number | null, floor: number): string[] =>
  floor > 0 && (value ?? 0) < floor ? [`found ${value ?? 'no'} ${what}; expected at least ${floor}`] : [];

const KB_PER_MB = 1_000;

function judgeDrives(report: Report, floor: number, done: 'read' | 'written'): Judgement {
  const drives = [...report].filter(([name]) => name !== '');
  const isStopped = endingOf(report) !== undefined;
  const judged = drives.map(([name, { kbps, code, changed, ...facts }]) => {
    const mbPerSec = kbps === undefined || kbps === '' ? null : Math.round(Number(kbps) / KB_PER_MB);
    const faults =
      code === '0'
        ? below(`MB/s ${done} on ${name}`, mbPerSec, floor)
        : [`found errors on ${name} (fio ended with ${code}${wordsOf(facts)}); expected none`];
    if (changed !== undefined) {
      const obstacle = `${name} is not the drive that was named any more; it was not touched`;
      return { name, mbPerSec, faults: [], obstacles: [obstacle] };
    }
    const isMeasured = faults.length > 0 || mbPerSec !== null;
    return { name, mbPerSec, faults, obstacles: isMeasured ? [] : [`fio left no figure of ${name}`] };
  });
  const figures = judged.map(({ name, mbPerSec, ...judgement }) => {
    const verdict = isStopped ? 'unknown' : verdictOf(judgement);
    return [name, { mbPerSec, verdict }] as const;
  });
  return {
    figures: { drives: Object.fromEntries(figures) },
    faults: judged.flatMap(({ faults }) => faults),
    obstacles: judged.length === 0 ? ['fio was given no drive'] : judged.flatMap(({ obstacles }) => obstacles),
  };
}

/** The ends of a job that are faults of the machine. */
const endings: Readonly<Record<string, (facts: Facts) => string>> = {
  hot: ({ cpuCelsius, driveCelsius, cpuLimit, driveLimit }) =>
    `found ${cpuCelsius || 'unknown'} °C (processors) and ${driveCelsius || 'unknown'} °C (drives); expected at most ${cpuLimit} and ${driveLimit}`,
  late: () => 'found its tool still running after its time; expected its end',
  lost: () => 'found that the machine had restarted; expected it to run',
  died: () => 'found that the process of the test had been ended; expected it to run',
};

const endingOf = (report: Report): string | undefined => {
  const facts = ownFacts(report);
  return endings[facts.state ?? '']?.(facts);
};

const verdictOf = ({ faults, obstacles }: Pick<Judgement, 'faults' | 'obstacles'>): BurnInVerdict =>
  faults.length > 0 ? 'failed' : obstacles.length > 0 ? 'unknown' : 'passed';

export function testResult(test: BurnInTest, printed: string): TestResult {
  const report = factsOf(withoutBraces(printed));
  const facts = ownFacts(report);
  const { state = 'absent', started = null, ended = null } = facts;
  const floor = numberIn(facts.floor) ?? 0;
  const minimum = floor > 0 ? floor : null;
  const base = { tool: programs[test], startedAt: started, endedAt: ended, minimum };
  if (state === 'absent') {
    return { ...base, verdict: 'unknown', figures: {}, problems: ['the machine does not report how it ended'] };
  }
  const { figures, ...judgement } = judges[test](report, floor);
  const ending = endingOf(report);
  // A tool that was stopped reports errors that are none.
  const problems = ending === undefined ? [...judgement.faults, ...judgement.obstacles] : [ending];
  const temperatures = { cpuCelsius: numberIn(facts.cpuCelsius), driveCelsius: numberIn(facts.driveCelsius) };
  const verdict = ending === undefined ? verdictOf(judgement) : 'failed';
  return { ...base, verdict, figures: { ...figures, ...temperatures }, problems };
}

/** @returns the reports by test, of what `burnInCollect` prints below the facts */
export const reportsIn = (printed: string): Map<string, string> =>
  new Map(
    printed
      .split(/^== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
  );
