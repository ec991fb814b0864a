/** A burn-in in words, as its catalog has it: for the command line and the console. */
import { isObject, type JsonObject, listIn, objectIn } from '../../engine/vocabulary/json.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import { memoryText } from './size-text.ts';

const verdictWords = { passed: 'passed', failed: 'failed', unknown: 'incomplete' } as const;
type Verdict = keyof typeof verdictWords;

/** A test of one part of the machine. */
export interface BurnInLine {
  test: string;
  /** The part, such as a drive with its serial number. */
  target: string;
  measured: string;
  limit: string;
  /** null: nothing can be said. */
  verdict: Verdict | null;
  /** ISO 8601, by the clock of the machine; null: it has no time of its own. */
  startedAt: string | null;
  endedAt: string | null;
}

export interface ShownBurnIn {
  /** The id of its workflow. */
  run: string;
  verdict: Verdict;
  startedAt: string;
  endedAt: string;
  lines: BurnInLine[];
  problems: string[];
}

/** @param verdict null: '' */
export const burnInVerdictText = (verdict: Verdict | null): string => (verdict === null ? '' : verdictWords[verdict]);

const verdictIn = (value: unknown): Verdict | null =>
  value === 'passed' || value === 'failed' || value === 'unknown' ? value : null;
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** @param data of a catalog `burn-in` @returns undefined: it is none of `Graph.BurnIn` */
export function burnInOf(data: unknown): ShownBurnIn | undefined {
  const record = objectIn(data);
  const [run, startedAt, endedAt] = [record.run, record.startedAt, record.endedAt].map(textIn);
  const verdict = verdictIn(record.verdict);
  if (!run || !startedAt || !endedAt || verdict === null) return undefined;
  const [limits, drives] = [objectIn(record.limits), objectIn(record.drives)];
  const tests = Object.entries(objectIn(record.tests)).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
  const lines = [
    ...tests.flatMap(([name, test]) => linesOfTest(name, test, drives)),
    ...temperatureLines(
      tests.map(([, { figures }]) => objectIn(figures)),
      limits,
    ),
    memoryLine(objectIn(record.memoryErrors), limits),
    ...Object.keys(drives).map((name) => driveLine(name, drives, limits)),
  ];
  return { run, verdict, startedAt, endedAt, lines, problems: listIn(record.problems).map(String) };
}

const listText = (texts: readonly string[]): string => texts.filter((text) => text !== '').join(', ');
const numberText = (value: number): string => value.toLocaleString('en');
const amountText = (value: unknown, unit: string): string =>
  `${typeof value === 'number' ? numberText(value) : 'no'} ${unit}`;
/** `no errors`, `1 error`, `3 errors`. */
const countText = (count: unknown, noun: string, nouns = `${noun}s`): string =>
  count === 1 ? `1 ${noun}` : amountText(count || null, nouns);

function linesOfTest(name: string, test: JsonObject, drives: JsonObject): BurnInLine[] {
  const [figures, minimum] = [objectIn(test.figures), numberIn(test.minimum)];
  const verdict = verdictIn(test.verdict);
  const times = { startedAt: textIn(test.startedAt) || null, endedAt: textIn(test.endedAt) || null };
  const least = (unit: string): string => (minimum === null ? '' : `at least ${numberText(minimum)} ${unit}`);
  const line = (title: string, target: string, measured: string, limit: string): BurnInLine => {
    const isMeasured = Object.keys(figures).length > 0;
    return { test: title, target, measured: isMeasured ? measured : 'nothing', limit, verdict, ...times };
  };
  const { operationsPerSec, errors = 0, mib, processes, loops, peer, sendMbps, receiveMbps } = figures;
  switch (name) {
    case 'cpu': {
      const measured = listText([amountText(operationsPerSec, 'operations/s'), countText(errors, 'wrong result')]);
      return [line('processors', 'all', measured, listText([least('operations/s'), 'no wrong results']))];
    }
    case 'memory': {
      const target =
        typeof mib === 'number' ? `${memoryText(mib * MIB)} in ${countText(processes, 'process', 'processes')}` : '';
      const measured = listText([countText(loops, 'complete pass', 'complete passes'), countText(errors, 'error')]);
      return [line('memory', target, measured, listText([least('complete passes'), 'no errors']))];
    }
    case 'disk':
    case 'write': {
      const title = name === 'disk' ? 'drive, read' : 'drive, written';
      const tested = Object.entries(objectIn(figures.drives));
      if (tested.length === 0) return [line(title, '', 'nothing', least('MB/s'))];
      return tested.map(([drive, value]) => {
        const { mbPerSec, verdict: ofDrive } = objectIn(value);
        const driveVerdict = verdict === 'passed' ? verdict : verdictIn(ofDrive);
        const measured = amountText(mbPerSec, 'MB/s');
        return { ...line(title, driveText(drive, drives), measured, least('MB/s')), verdict: driveVerdict };
      });
    }
    case 'network': {
      const measured = listText([amountText(sendMbps, 'Mbit/s sent'), amountText(receiveMbps, 'Mbit/s received')]);
      return [
        line('network', textIn(peer) && `to ${peer}`, measured, minimum === null ? '' : `${least('Mbit/s')} each`),
      ];
    }
    default:
      return [line(name, '', '', '')];
  }
}

function driveText(name: string, drives: JsonObject): string {
  const serial = textIn(objectIn(drives[name]).serial);
  return serial === '' ? name : `${name} (${serial})`;
}

const noTime = { startedAt: null, endedAt: null };

const within = (isWithin: boolean): Verdict => (isWithin ? 'passed' : 'failed');

/** The highest of all tests. */
function temperatureLines(figures: readonly JsonObject[], limits: JsonObject): BurnInLine[] {
  return (['cpuCelsius', 'driveCelsius'] as const).map((key) => {
    const values = figures.flatMap((one) => numberIn(one[key]) ?? []);
    const [highest, most] = [Math.max(...values), numberIn(limits[key])];
    return {
      test: 'temperature',
      target: key === 'cpuCelsius' ? 'processors' : 'drives',
      measured: values.length === 0 ? 'no sensor' : `${highest} °C`,
      limit: most === null ? '' : `at most ${most} °C`,
      verdict: values.length === 0 || most === null ? null : within(highest <= most),
      ...noTime,
    };
  });
}

function memoryLine(errors: JsonObject, limits: JsonObject): BurnInLine {
  const counters = (
    [
      ['corrected', 'corrected', 'correctedErrors'],
      ['uncorrected', 'uncorrected', 'uncorrectedErrors'],
      ['exceptions', 'machine check exceptions', 'uncorrectedErrors'],
    ] as const
  ).map(([key, what, limit]) => ({ count: numberIn(errors[key]), what, most: numberIn(limits[limit]) ?? 0 }));
  const counted = counters.filter(({ count }) => count !== null);
  const grown = counted.filter(({ count }) => count !== 0);
  const isNoneAllowed = counters.every(({ most }) => most === 0);
  return {
    test: 'new errors',
    target: 'memory',
    measured:
      counted.length === 0
        ? 'not counted'
        : listText(grown.map(({ count, what }) => amountText(count, what))) || 'none',
    limit: isNoneAllowed ? 'none' : `at most ${listText(counters.map(({ most, what }) => `${most} ${what}`))}`,
    verdict: counted.length === 0 ? null : within(grown.every(({ count, most }) => Number(count) <= most)),
    ...noTime,
  };
}

function driveLine(name: string, drives: JsonObject, limits: JsonObject): BurnInLine {
  const { health, newErrors } = objectIn(drives[name]);
  const [most, counters] = [numberIn(limits.driveErrors) ?? 0, Object.entries(objectIn(newErrors))];
  const grown = counters.filter(([, count]) => count !== 0);
  const isReported = typeof health === 'string';
  const isHealthy = !isReported || health === 'PASSED' || health === 'OK';
  const errors = grown.map(([kind, count]) => amountText(count, kind));
  return {
    test: 'new errors',
    target: driveText(name, drives),
    measured: listText([
      counters.length === 0 ? 'not counted' : listText(errors) || 'none',
      isReported ? `health ${health}` : 'health not reported',
    ]),
    limit: `${most === 0 ? 'none' : `at most ${numberText(most)} of a kind`}, healthy`,
    verdict:
      !isReported && counters.length === 0 ? null : within(isHealthy && grown.every(([, n]) => Number(n) <= most)),
    ...noTime,
  };
}
