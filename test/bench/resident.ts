/** The resident memory of an idle daemon, as the minimum of several samples. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDaemon } from './daemon.ts';
import type { Line } from './figure.ts';

const SAMPLES = 10;
const SAMPLE_EVERY_MS = 500;
const MIB = 1024 * 1024;
const CPU = 'process_cpu_seconds_total';
const QUIET_SHARE = 0.1;
/** Longer than the pause between two maintenance runs. */
const QUIET_SEC = 3;
const PATIENCE_SEC = 15;

export const mib = (name: string, bytes: number): Line => ({ name, value: bytes / MIB, unit: 'MiB' });

/** Returns bytes. */
export async function resident(daemon: BenchDaemon): Promise<number> {
  await quiet(daemon);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < SAMPLES; at++) {
    least = Math.min(least, await daemon.metric('process_resident_memory_bytes'));
    await sleep(SAMPLE_EVERY_MS);
  }
  return least;
}

/** Resolves when the daemon has been almost idle for some seconds, or after a timeout. */
async function quiet(daemon: BenchDaemon): Promise<void> {
  let before = await daemon.metric(CPU);
  for (let second = 0, calm = 0; second < PATIENCE_SEC && calm < QUIET_SEC; second++) {
    await sleep(1_000);
    const now = await daemon.metric(CPU);
    calm = now - before < QUIET_SHARE ? calm + 1 : 0;
    before = now;
  }
}

export async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
