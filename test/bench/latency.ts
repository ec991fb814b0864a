/**
 * From the launch call to the event of the end, on an idle engine in this process: over HTTP a client would have to
 * poll for the end, and would measure its own polling. For comparison, jobs of a bare BullMQ, from add to completed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBare } from './bare.ts';
import { type Figure, spread } from './figure.ts';
import { chainOf, openOurs } from './ours.ts';

const RUNS = 200;
const WARM_UP = 50;
/** Time for the previous run to settle. */
const GAP_MS = 20;

export const latency: Figure = async (place) => {
  const folder = place.folder('latency');
  const ours = await openOurs(folder, 1);
  const node = ours.nodes[0] as string;
  const one = await measure(() => ours.run(chainOf(1), node));
  const five = await measure(() => ours.run(chainOf(5), node));
  await ours.close();
  const bare = openBare();
  const bareOne = await measure(() => bare.run(1));
  const bareFive = await measure(() => bare.run(5));
  await bare.close();
  return [
    ...spread('one task', one),
    ...spread('five tasks', five),
    ...spread('bare BullMQ, one job', bareOne),
    ...spread('bare BullMQ, five jobs', bareFive),
  ];
};

/** @param run returns the time of its end @returns ms of each run after the warm-up */
export async function measure(run: () => Promise<number>): Promise<number[]> {
  const millis: number[] = [];
  for (let at = 0; at < WARM_UP + RUNS; at++) {
    await sleep(GAP_MS);
    const start = performance.now();
    millis.push((await run()) - start);
  }
  return millis.slice(WARM_UP);
}
