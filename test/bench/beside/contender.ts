/**
 * Engines that run the same work side by side: workflows of five durable steps that do nothing, 100 in flight, each step
 * saved before the next. Each stays warm in processes of its own, and they take turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBare } from '../bare.ts';
import { median } from '../figure.ts';
import { ownCpuSec, ROUNDS, type Round, round, STEPS } from '../rounds.ts';

export interface Contender {
  /** Returns the round of this number of workflows. */
  round(runs: number): Promise<Round>;
  /** Runs one workflow alone. @returns ms from its launch until its end is seen from outside */
  idle(): Promise<number>;
}

/** Bare BullMQ, in this process. @param port of Redis on the loopback address */
export function bareContender(port: number, clocks: Readonly<Record<string, () => number>>) {
  const bare = openBare(port);
  const contender: Contender = {
    round: (runs) => round({ run: () => bare.run(STEPS), clocks: { client: ownCpuSec, ...clocks }, runs }),
    idle: () => timed(() => bare.run(STEPS)),
  };
  return { ...contender, job: () => timed(() => bare.run(1)), close: () => bare.close() };
}

/** @param run resolves with the time of its end */
export async function timed(run: () => Promise<number>): Promise<number> {
  const start = performance.now();
  return (await run()) - start;
}

const WARM_UP = 2_000;
const RUNS = 1_000;
const IDLE_RUNS = 40;
/** Time for the run before to settle. */
const GAP_MS = 20;

export interface Taken {
  /** After 200 workflows, as of an engine that was started just now. */
  early: Round;
  rounds: Round[];
  /** ms, by round. */
  idle: number[][];
}

/** Warms up all, then lets them take turns, first with 100 in flight, then with one. */
export async function besides<N extends string>(all: Readonly<Record<N, Contender>>): Promise<Record<N, Taken>> {
  const names = Object.keys(all) as N[];
  const taken = {} as Record<N, Taken>;
  for (const name of names) {
    await all[name].round(200);
    taken[name] = { early: await all[name].round(RUNS), rounds: [], idle: [] };
    await all[name].round(WARM_UP - 200 - RUNS);
  }
  for (let at = 0; at < ROUNDS; at++) for (const name of names) taken[name].rounds.push(await all[name].round(RUNS));
  for (let at = 0; at < ROUNDS; at++) {
    const millis = await inTurn(names, (name) => all[name].idle(), IDLE_RUNS);
    for (const name of names) taken[name].idle.push(millis[name]);
  }
  return taken;
}

/** @returns by name, the values of this number of runs, in which all take turns */
export async function inTurn<N extends string>(
  names: readonly N[],
  run: (name: N) => Promise<number>,
  runs = IDLE_RUNS,
): Promise<Record<N, number[]>> {
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<N, number[]>;
  for (let at = 0; at < runs; at++) {
    for (const name of names) {
      await sleep(GAP_MS);
      values[name].push(await run(name));
    }
  }
  return values;
}

export const allCpu = ({ cpuSec }: Round): number => Object.values(cpuSec).reduce((sum, value) => sum + value, 0);

/** Returns the median of the ratios of the rounds. */
export const beside = <T>(ours: readonly T[], others: readonly T[], value: (one: T) => number): number =>
  median(ours.map((our, at) => value(our) / value(others[at] as T)));
