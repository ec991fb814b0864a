/**
 * A large file for nodes: uploaded by a user, then downloaded by a node from a daemon that does not have it yet and
 * fetches it from the store, and again, when the daemon has it on disk. For comparison, bare Koa sends the same bytes
 * from disk. Size: `BENCH_FILE_MB`, in millions of bytes.
 *
 * 1. The daemon is restarted before the upload, since creating the database takes memory, and before the first
 *    download, so that neither memory nor caches remain from the upload.
 * 2. Memory is resident memory: before, when idle, and the maximum of many samples during the transfer.
 */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure, Line } from './figure.ts';
import { median } from './figure.ts';
import { mib, resident, seconds } from './resident.ts';

const MEGABYTE = 1_000_000;
const SIZE = Number(process.env.BENCH_FILE_MB ?? 300) * MEGABYTE;
const RUNS = 5;
const NAME = 'image.bin';
const SAMPLE_EVERY_MS = 50;
/** Sampling needs a connection too. */
const IN_FLIGHT = 2;

export const files: Figure = async (place) => {
  const folder = place.folder('files');
  const path = join(folder, NAME);
  await write(path);
  const services = { packLimit: SIZE };
  await (await startDaemon(folder)).stop();
  const first = await startDaemon(folder, IN_FLIGHT, services);
  const beforePut = await resident(first);
  const put = await watched(first, () => first.put(NAME, path));
  await first.stop();
  const daemon = await startDaemon(folder, IN_FLIGHT, services);
  const before = await resident(daemon);
  const fetched = await watched(daemon, () => whole(daemon));
  const cached = await watched(daemon, () => whole(daemon), RUNS);
  await daemon.stop();
  const bare = await startDaemon(folder, IN_FLIGHT, services, ['--import=tsx', 'test/bench/bare-file.ts', path]);
  const plain: number[] = [];
  for (let run = 0; run < RUNS; run += 1) plain.push(await seconds(() => whole(bare)));
  await bare.stop();
  return [
    rate('upload by a user', put.seconds),
    rate('first download by a node, from the store', fetched.seconds),
    rate('second download, from disk', cached.seconds),
    rate('bare Koa, from disk', median(plain)),
    { name: 'from the disk, of bare Koa', value: median(plain) / cached.seconds, unit: 'times' },
    mib('resident before the upload', beforePut),
    mib('maximum during the upload', put.most),
    mib('resident before the downloads', before),
    mib('maximum during the download from the store', fetched.most),
    mib('maximum during the download from disk', cached.most),
  ];
};

const rate = (name: string, sec: number): Line => ({ name, value: SIZE / MEGABYTE / sec, unit: 'MB/s' });

/** Incompressible bytes, like images. */
async function write(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let left = SIZE; left > 0; left -= MEGABYTE) await file.write(randomBytes(Math.min(left, MEGABYTE)));
  } finally {
    await file.close();
  }
}

async function whole(daemon: BenchDaemon): Promise<void> {
  const bytes = await daemon.take(NAME);
  if (bytes !== SIZE) throw new Error(`received ${bytes} bytes, expected ${SIZE}`);
}

/** Returns the median of the runs, and the maximum memory of all runs. */
async function watched(
  daemon: BenchDaemon,
  work: () => Promise<void>,
  runs = 1,
): Promise<{ seconds: number; most: number }> {
  const over = new AbortController();
  const most = sampled(daemon, over.signal);
  const taken: number[] = [];
  try {
    while (taken.length < runs) taken.push(await seconds(work));
  } finally {
    over.abort();
  }
  return { seconds: median(taken), most: await most };
}

async function sampled(daemon: BenchDaemon, over: AbortSignal): Promise<number> {
  let most = 0;
  while (!over.aborted) {
    most = Math.max(most, await daemon.metric('process_resident_memory_bytes'));
    await sleep(SAMPLE_EVERY_MS);
  }
  return most;
}
