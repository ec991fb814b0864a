/** From `notify` to the event of the end, for a workflow that waits for its last notification. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, spread } from './figure.ts';
import { type Ours, openOurs } from './ours.ts';

const RUNS = 200;
const WARM_UP = 50;
/** Time for the previous run to settle. */
const GAP_MS = 20;

export const notification: Figure = async (place) => {
  const ours = await openOurs(place.folder('notification'), 1);
  try {
    const millis: number[] = [];
    for (let at = 0; at < WARM_UP + RUNS; at++) millis.push(await once(ours, ours.nodes[0] as string));
    return spread('notify to end', millis.slice(WARM_UP));
  } finally {
    await ours.close();
  }
};

async function once({ engine, watch }: Ours, nodeId: string): Promise<number> {
  const { id } = await engine.workflows.launch({ name: 'Graph.Demo.InstallOs', options: {}, nodeId });
  await watch.waiting(id, 'wait-os-installed');
  await engine.notifications.notify({ done: true }, nodeId);
  await watch.waiting(id, 'wait-os-booted');
  await sleep(GAP_MS);
  const start = performance.now();
  await engine.notifications.notify({ done: true }, nodeId);
  return (await watch.succeeded(id)) - start;
}
