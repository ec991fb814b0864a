/**
 * Many nodes, each with a workflow that waits for a notification: for measuring memory and starts. Number:
 * `BENCH_PARKED`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, Refused } from './daemon.ts';

export const PARKED = Number(process.env.BENCH_PARKED ?? 10_000);
/** Concurrent requests; enough to keep a store busy. */
export const IN_FLIGHT = 16;

const WAITS = 'nodewright_task_states_total{state="waiting"}';

const marker = (folder: string): string => join(folder, 'parked');

/** Returns true if the folder contains all of them. */
export const isParked = (folder: string): boolean => existsSync(marker(folder));

/** @param folder of the daemon */
export async function park(daemon: BenchDaemon, folder: string): Promise<void> {
  let made = 0;
  const lane = async () => {
    while (made < PARKED) await parkOne(daemon, made++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  await daemon.reaches(WAITS, PARKED);
  writeFileSync(marker(folder), '');
}

async function parkOne(daemon: BenchDaemon, number: number): Promise<void> {
  const made = await patiently(() => daemon.post('/nodes', { type: 'compute', name: `node-${number}` }));
  await patiently(() => daemon.post(`/nodes/${made?.id}/workflows`, { name: 'Graph.Demo.InstallOs' }));
}

/**
 * Retries while the store is overloaded, like a client. @returns undefined: the previous attempt had succeeded after
 * all
 */
async function patiently<T>(ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 409) return undefined;
      if (error.status !== 503) throw error;
      await sleep(1_000);
    }
  }
}

/**
 * One broadcast notification: each workflow leaves its first wait and enters the next.
 * @param before waits that this process of the daemon has counted
 */
export async function wakeAll(daemon: BenchDaemon, before: number): Promise<void> {
  await daemon.post('/notification', { installed: true }, 'south');
  await daemon.reaches(WAITS, before + PARKED);
}

const CPU = 'process_cpu_seconds_total';
const QUIET_SHARE = 0.1;
/** Longer than the pause between two maintenance runs. */
const QUIET_SEC = 3;
const PATIENCE_SEC = 15;

/** Resolves when the daemon has been almost idle for some seconds, or after a timeout. */
export async function quiet(daemon: BenchDaemon): Promise<void> {
  let before = await daemon.metric(CPU);
  for (let second = 0, calm = 0; second < PATIENCE_SEC && calm < QUIET_SEC; second++) {
    await sleep(1_000);
    const now = await daemon.metric(CPU);
    calm = now - before < QUIET_SHARE ? calm + 1 : 0;
    before = now;
  }
}
