/**
 * Steps a second of workflows with five tasks in a row, 50 at a time, beside bare BullMQ with chains of five jobs. The
 * two take turns, so that whatever else the machine does hits both.
 */
import { join } from 'node:path';
import { openBare } from './bare.ts';
import { type Figure, median } from './figure.ts';
import { chainOf, openOurs } from './ours.ts';

const IN_FLIGHT = 50;
const STEPS = 5;
const WARM_UP = 300;
const RUNS = 400;
const ROUNDS = 3;
const RATIO_GOAL = 0.5;

interface Round {
  stepsPerSec: number;
  /** Of all threads of this process, for 1,000 steps. */
  cpuSec: number;
}

export const throughput: Figure = async (place) => {
  const folder = place.folder('throughput');
  const ours = await openOurs(folder, IN_FLIGHT);
  const bare = await openBare(join(folder, 'bare'));
  const runOurs = (lane: number) => ours.run(chainOf(STEPS), ours.nodes[lane] as string);
  const runBare = () => bare.run(STEPS);
  try {
    await round(WARM_UP, runOurs);
    await round(WARM_UP, runBare);
    const pairs: [Round, Round][] = [];
    for (let at = 0; at < ROUNDS; at++) pairs.push([await round(RUNS, runOurs), await round(RUNS, runBare)]);
    return lines(pairs);
  } finally {
    await ours.close();
    await bare.close();
  }
};

/** `runs` runs, shared by as many lanes as may be in flight; each lane does one at a time. */
async function round(runs: number, run: (lane: number) => Promise<unknown>): Promise<Round> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let left = runs;
  const lane = async (_: unknown, at: number) => {
    while (left-- > 0) await run(at);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const { user, system } = process.cpuUsage(cpu);
  const steps = runs * STEPS;
  return { stepsPerSec: (steps / (performance.now() - start)) * 1_000, cpuSec: (user + system) / 1_000 / steps };
}

function lines(pairs: readonly [Round, Round][]) {
  const ours = pairs.map(([round]) => round);
  const bare = pairs.map(([, round]) => round);
  const ratio = median(pairs.map(([our, other]) => our.stepsPerSec / other.stepsPerSec));
  return [
    { name: 'workflows', value: median(ours.map((round) => round.stepsPerSec)), unit: 'steps/s' },
    { name: 'bare BullMQ', value: median(bare.map((round) => round.stepsPerSec)), unit: 'steps/s' },
    { name: 'ratio', value: ratio, unit: 'x', goal: { kind: 'least' as const, value: RATIO_GOAL } },
    { name: 'workflows, CPU', value: median(ours.map((round) => round.cpuSec)), unit: 's/1,000 steps' },
    { name: 'bare BullMQ, CPU', value: median(bare.map((round) => round.cpuSec)), unit: 's/1,000 steps' },
  ];
}
