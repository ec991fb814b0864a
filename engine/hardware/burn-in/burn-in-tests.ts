/** The tests of a burn-in, and the limits that all of them respect. */
import { Type } from '../../define/index.ts';

/** In the order in which they run. */
export const burnInTests = ['cpu', 'memory', 'disk', 'write', 'network'] as const;
export type BurnInTest = (typeof burnInTests)[number];

/** The program that each needs on the node. */
export const programs: Record<BurnInTest, string> = {
  cpu: 'stress-ng',
  memory: 'memtester',
  disk: 'fio',
  write: 'fio',
  network: 'iperf3',
};

/** Limited so that their facts fit into one answer of an agent. */
export const MAX_DRIVES = 30;

export const serialNumbers = (description: string) =>
  Type.Array(Type.String({ pattern: '^[!-+.-~ -]{1,40}$' }), {
    minItems: 1,
    maxItems: MAX_DRIVES,
    uniqueItems: true,
    description,
  });

const WEEK_SEC = 604_800;

/** The options that each test has. */
export const testOptions = {
  durationSec: Type.Integer({ minimum: 1, maximum: WEEK_SEC, description: 'How long the test runs, in seconds.' }),
  plan: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Set by the graph: the facts before the tests.' }),
  ),
};

export interface BurnInLimits {
  cpuCelsius: number;
  driveCelsius: number;
  correctedErrors: number;
  uncorrectedErrors: number;
  driveErrors: number;
}

const count = (what: string, maximum: number) =>
  Type.Integer({ minimum: 0, maximum, description: `${what} during the burn-in, at most.` });
const celsius = (what: string) =>
  Type.Integer({
    minimum: 30,
    maximum: 150,
    description: `The highest temperature of ${what}, in °C; beyond it a test is stopped.`,
  });

export const limitOptions = {
  cpuCelsius: celsius('a processor'),
  driveCelsius: celsius('a drive'),
  correctedErrors: count('New corrected errors of memory (EDAC)', 1_000_000),
  uncorrectedErrors: count('New uncorrected errors of memory (EDAC), and machine check exceptions,', 1_000),
  driveErrors: count(
    'New errors of a drive (reallocated, pending and uncorrectable sectors; errors of its media)',
    1_000_000,
  ),
};

export const burnInLimits: BurnInLimits = {
  cpuCelsius: 95,
  driveCelsius: 70,
  correctedErrors: 0,
  uncorrectedErrors: 0,
  driveErrors: 0,
};
