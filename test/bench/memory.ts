/**
 * What a parked workflow costs: the resident memory of a daemon before and after 10,000 of them, as its users would
 * see it (nobody forces a collection). Resident memory only says how much the process once needed and has not given
 * back, so it is taken when all is quiet, as the least of several samples.
 *
 * 1. The base is a daemon that found its folder made: making the database takes memory that may go or stay, and would
 *    hide what the workflows take.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure, Line } from './figure.ts';
import { IN_FLIGHT, PARKED, park, quiet, wakeAll } from './parked.ts';

const GOAL_KIB = 20;
const SAMPLES = 10;
const SAMPLE_EVERY_MS = 500;
const MIB = 1024 * 1024;

export const memory: Figure = async (place) => {
  const folder = place.folder('parked');
  const atFirst = await residentOnce(folder);
  const daemon = await startDaemon(folder, IN_FLIGHT);
  const base = await resident(daemon);
  const parkSec = await seconds(() => park(daemon, folder));
  const parked = await resident(daemon);
  const heap = await daemon.metric('nodejs_heap_size_used_bytes');
  const wakeSec = await seconds(() => wakeAll(daemon));
  const woken = await resident(daemon);
  await daemon.stop();
  return [
    mib('resident after the first start', atFirst),
    mib('resident after a later start', base),
    mib(`resident with ${PARKED} parked`, parked),
    mib('of that, JavaScript heap in use', heap),
    each('a parked workflow', parked - base),
    { name: `parking ${PARKED}`, value: parkSec, unit: 's' },
    { name: 'one notification for all, until all went on', value: wakeSec, unit: 's' },
    mib('resident after that', woken),
    each('a parked workflow, after a restart', (await residentOnce(folder)) - base),
  ];
};

const mib = (name: string, bytes: number): Line => ({ name, value: bytes / MIB, unit: 'MiB' });

const each = (name: string, bytes: number): Line => ({
  name,
  value: bytes / 1024 / PARKED,
  unit: 'KiB',
  goal: { kind: 'most', value: GOAL_KIB },
});

async function resident(daemon: BenchDaemon): Promise<number> {
  await quiet(daemon);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < SAMPLES; at++) {
    least = Math.min(least, await daemon.metric('process_resident_memory_bytes'));
    await sleep(SAMPLE_EVERY_MS);
  }
  return least;
}

async function residentOnce(folder: string): Promise<number> {
  const daemon = await startDaemon(folder);
  try {
    return await resident(daemon);
  } finally {
    await daemon.stop();
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
