/**
 * Rounds of many concurrent workflows of `STEPS` steps, alternating between ours and others', so that other load affects
 * all equally.
 *
 * 1. A round ends when its last workflow has ended; its CPU time includes everything that follows, such as its record,
 *    and the next round begins when all processes are almost idle.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Goal, type Line, median } from './figure.ts';

export const STEPS = 5;
export const IN_FLIGHT = 100;
const RUNS = 2_000;
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const WARM_UP = 1_000;

/** By process: the seconds of CPU time that it has used so far. */
export type Clocks = Readonly<Record<string, () => number>>;

export interface Side {
  /** Runs one workflow; each lane runs one at a time. */
  run(lane: number): Promise<unknown>;
  clocks: Clocks;
  /** Workflows of a round. */
  runs?: number;
  inFlight?: number;
  /** Engines that the lanes are dealt to in turn; each runs an equal share of the workflows. */
  engines?: number;
}

export interface Round {
  stepsPerSec: number;
  /** Seconds of CPU time for 1,000 steps, by process. */
  cpuSec: Readonly<Record<string, number>>;
}

/** This process, all threads: the bench, and an engine that runs in it. */
export const ownCpuSec = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

/** Warms up each side, then lets them alternate. */
export async function rounds<N extends string>(sides: Readonly<Record<N, Side>>): Promise<Record<N, Round[]>> {
  const all = Object.entries(sides) as [N, Side][];
  const taken = Object.fromEntries(all.map(([name]) => [name, []])) as unknown as Record<N, Round[]>;
  for (const [, side] of all) await round({ ...side, runs: Math.min(WARM_UP, side.runs ?? RUNS) });
  for (let at = 0; at < ROUNDS; at++) for (const [name, side] of all) taken[name].push(await round(side));
  return taken;
}

export async function round({ run, clocks, runs = RUNS, inFlight = IN_FLIGHT, engines = 1 }: Side): Promise<Round> {
  const before = readings(clocks);
  const start = performance.now();
  const left: number[] = Array.from({ length: engines }, () => runs / engines);
  const lane = async (_: unknown, at: number) => {
    const engine = at % engines;
    while ((left[engine] as number) > 0) {
      (left[engine] as number) -= 1;
      await run(at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - start) / 1_000;
  await settled(clocks);
  const steps = runs * STEPS;
  const used = readings(clocks).map(([name, reading], at) => [
    name,
    ((reading - (before[at]?.[1] ?? 0)) * 1_000) / steps,
  ]);
  return { stepsPerSec: steps / seconds, cpuSec: Object.fromEntries(used) };
}

const readings = (clocks: Clocks) => Object.entries(clocks).map(([name, read]) => [name, read()] as const);

const SAMPLE_MS = 500;
const QUIET_SHARE = 0.15;
const SETTLE_MS = 15_000;

/** Resolves when the processes are almost idle, or after a timeout. */
export async function settled(clocks: Clocks): Promise<void> {
  const sum = () => readings(clocks).reduce((total, [, reading]) => total + reading, 0);
  let before = sum();
  for (let waited = 0; waited < SETTLE_MS; waited += SAMPLE_MS) {
    await sleep(SAMPLE_MS);
    const now = sum();
    if (now - before < (QUIET_SHARE * SAMPLE_MS) / 1_000) return;
    before = now;
  }
}

export const rate = (name: string, taken: readonly Round[]): Line => ({
  name: `${name}, throughput`,
  value: median(taken.map(({ stepsPerSec }) => stepsPerSec)),
  unit: 'steps/s',
});

/** @param names of the processes that are added up */
export const cpu = (name: string, taken: readonly Round[], names: readonly string[], goal?: Goal): Line => ({
  name: `${name}, CPU`,
  value: median(taken.map(({ cpuSec }) => names.reduce((sum, each) => sum + (cpuSec[each] ?? Number.NaN), 0))),
  unit: 's/1,000 steps',
  ...(goal && { goal }),
});

/** @param of the value of a round that is compared with that of the other side */
export const ratio = (
  name: string,
  [ours, others]: readonly [readonly Round[], readonly Round[]],
  of: (round: Round) => number,
  goal: Goal,
): Line => ({
  name,
  value: median(ours.map((our, at) => of(our) / of(others[at] as Round))),
  unit: 'x',
  goal,
});
