/** The resident memory of an idle daemon, as the minimum of several samples. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigFile } from '../../engine/config.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Line } from './figure.ts';
import { PARKED, quiet } from './parked.ts';

const GOAL_KIB = 20;
const SAMPLES = 10;
const SAMPLE_EVERY_MS = 500;
const MIB = 1024 * 1024;

export const mib = (name: string, bytes: number): Line => ({ name, value: bytes / MIB, unit: 'MiB' });

export const eachParked = (name: string, bytes: number): Line => ({
  name,
  value: bytes / 1024 / PARKED,
  unit: 'KiB',
  goal: { kind: 'most', value: GOAL_KIB },
});

export async function resident(daemon: BenchDaemon): Promise<number> {
  await quiet(daemon);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < SAMPLES; at++) {
    least = Math.min(least, await daemon.metric('process_resident_memory_bytes'));
    await sleep(SAMPLE_EVERY_MS);
  }
  return least;
}

export async function residentOnce(folder: string, services?: ConfigFile): Promise<number> {
  const daemon = await startDaemon(folder, 1, services);
  try {
    return await resident(daemon);
  } finally {
    await daemon.stop();
  }
}

export async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
