/**
 * The memory, disk and CPU time that a daemon needs for nodes, their catalogs and workflows, for `fixtures/deploy/SIZING.md`:
 * embedded, as a separate process, over HTTP. Number of nodes and of workflows: `BENCH_SIZES`.
 *
 * Disk is that of the data directory after a stop, so that the log of the database is part of it only once.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure } from './figure.ts';
import { mib, resident } from './resident.ts';

const COUNT = Number(process.env.BENCH_SIZES ?? 2_000);
const IN_FLIGHT = 16;
const GRAPH = 'Graph.noop-example';
const TASKS = 4;
const IDLE_SEC = 20;
const KIB = 1024;
/** About the size of what a server with some drives reports, by source. */
const SOURCES = { dmi: 24, lshw: 60, ohai: 40, lsblk: 4, driveId: 2, bmc: 2 };
const CATALOGS_KIB = Object.values(SOURCES).reduce((sum, kib) => sum + kib, 0);

export const sizes: Figure = async (place) => {
  const folder = place.folder('sizes');
  const begun = await startDaemon(folder, IN_FLIGHT);
  const empty = await resident(begun);
  const idle = await idleShare(begun);
  const disk = [await diskAfter(begun, folder)];
  const nodes: string[] = [];

  const registering = await startDaemon(folder, IN_FLIGHT);
  const nodeSec = await cpuOf(registering, () => each(async (n) => void nodes.push(await newNode(registering, n))));
  disk.push(await diskAfter(registering, folder));

  const working = await startDaemon(folder, IN_FLIGHT);
  const runSec = await cpuOf(working, async () => {
    await each(async (n) => void (await working.post(`/nodes/${nodes[n]}/workflows`, { name: GRAPH })));
    await working.reaches('nodewright_task_states_total{state="succeeded"}', TASKS * COUNT);
  });
  const after = await resident(working);
  disk.push(await diskAfter(working, folder));

  const later = await startDaemon(folder, IN_FLIGHT);
  const again = await resident(later);
  await later.stop();
  const [none = 0, registered = 0, worked = 0] = disk;
  return [
    mib('resident, empty', empty),
    mib(`resident, after ${COUNT} nodes and ${COUNT} workflows`, after),
    mib('resident, the same after a start', again),
    { name: 'CPU of an idle daemon', value: idle * 100, unit: '%' },
    mib('disk, empty', none),
    {
      name: `disk of a node with ${CATALOGS_KIB} KiB of catalogs`,
      value: (registered - none) / COUNT / KIB,
      unit: 'KiB',
    },
    { name: `disk of a workflow of ${TASKS} tasks, ended`, value: (worked - registered) / COUNT / KIB, unit: 'KiB' },
    { name: 'CPU of a node and its catalogs', value: (nodeSec / COUNT) * 1_000, unit: 'ms' },
    { name: `CPU of a workflow of ${TASKS} tasks`, value: (runSec / COUNT) * 1_000, unit: 'ms' },
  ];
};

async function each(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < COUNT) await work(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

async function newNode(daemon: BenchDaemon, n: number): Promise<string> {
  const { id } = await daemon.post('/nodes', { type: 'compute', name: `node-${n}` });
  for (const [source, kib] of Object.entries(SOURCES)) {
    // Entries of about 64 bytes, of which no two nodes have the same.
    const data = Object.fromEntries(
      Array.from({ length: kib * 16 }, (_, at) => [`entry ${at}`, `${n}-${at}-`.padEnd(44, source)]),
    );
    await daemon.post(`/nodes/${id}/catalogs`, { source, data }, 'south');
  }
  return String(id);
}

/** Returns the seconds of CPU time of the daemon during the work. */
async function cpuOf(daemon: BenchDaemon, work: () => Promise<void>): Promise<number> {
  const before = daemon.cpuSec;
  await work();
  return daemon.cpuSec - before;
}

async function idleShare(daemon: BenchDaemon): Promise<number> {
  return (await cpuOf(daemon, () => sleep(IDLE_SEC * 1_000))) / IDLE_SEC;
}

/** Stops the daemon. Returns the bytes of its data directory. */
async function diskAfter(daemon: BenchDaemon, folder: string): Promise<number> {
  await daemon.stop();
  return bytesIn(join(folder, 'data'));
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + bytesIn(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}
