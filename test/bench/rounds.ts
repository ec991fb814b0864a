/** Rounds of many concurrent runs, alternating between ours and others', so that other load affects both equally. */
import { existsSync, readFileSync } from 'node:fs';
import { type Line, median } from './figure.ts';

export const STEPS = 5;
const RATIO_GOAL = 0.5;

export interface Round {
  stepsPerSec: number;
  /** CPU time of all threads of this process, for 1,000 steps. */
  cpuSec: number;
}

/** `runs` runs of `STEPS` steps, distributed over `inFlight` workers; each worker runs one at a time. */
export async function round(runs: number, inFlight: number, run: (lane: number) => Promise<unknown>): Promise<Round> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let left = runs;
  const lane = async (_: unknown, at: number) => {
    while (left-- > 0) await run(at);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(cpu);
  const steps = runs * STEPS;
  return { stepsPerSec: (steps / (performance.now() - start)) * 1_000, cpuSec: (user + system) / 1_000 / steps };
}

/** Returns the CPU time of a process of ours in seconds; NaN where the system does not report it. */
export function cpuOf(pid: number | undefined): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  // The fields follow the name, which may contain anything: user and system time are the 12th and 13th, in hundredths.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export const rate = (name: string, rounds: readonly Round[]): Line => ({
  name,
  value: median(rounds.map(({ stepsPerSec }) => stepsPerSec)),
  unit: 'steps/s',
});

export const cpu = (name: string, rounds: readonly Round[]): Line => ({
  name: `${name}, CPU`,
  value: median(rounds.map(({ cpuSec }) => cpuSec)),
  unit: 's/1,000 steps',
});

/** @param pairs ours and the other's, in alternation */
export const ratio = (name: string, pairs: readonly (readonly [Round, Round])[]): Line => ({
  name,
  value: median(pairs.map(([our, other]) => our.stepsPerSec / other.stepsPerSec)),
  unit: 'x',
  goal: { kind: 'least', value: RATIO_GOAL },
});
