/**
 * The process in which definitions are tried: imports the texts in sequence and reports the result of each. Started by
 * `trials.ts`; a text that ends the process, or never returns, does not affect the daemon.
 *
 * Arguments: the folder of the texts, and a JSON list of their hashes. Output: lines of JSON on file descriptor 3,
 * written synchronously, so that the last line shows the state at the end of the process.
 */
import { createHook } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const MIB = 1_024 * 1_024;
/** Limit of the resident memory of the process. V8 limits the heap separately; this includes memory outside it. */
const MEMORY = 1_024 * MIB;
/** Limit of one text: the largest of ours keeps 2 MiB, and the first import of a package some tens. */
const MAX_RETAINED = 128 * MIB;
const CHECK_INTERVAL_MS = 20;
/** Time for operations that a text starts without awaiting them. */
const SETTLE_MS = 50;

// XState's own frames must not hide that of the author's code.
Error.stackTraceLimit = 50;

const say = (line) => writeSync(3, `${JSON.stringify(line)}\n`);

async function tryAll() {
  const [, , folder, list] = process.argv;
  // The guard ends this process with its parent, and before it exhausts the machine's memory.
  new Worker(new URL(import.meta.url), { workerData: { parent: process.ppid }, execArgv: [], env: {} }).unref();
  const threads = threadsBegun();
  for (const hash of JSON.parse(list)) {
    const before = { active: process.getActiveResourcesInfo(), threads: threads.size, bytes: kept() };
    say({ begin: hash });
    try {
      await import(pathToFileURL(join(folder, `${hash}.mjs`)).href);
      await turn();
    } catch (error) {
      const { message, stack, code } = error instanceof Error ? error : { message: String(error) };
      say({ threw: hash, message: `${message}`, stack: `${stack}`, code });
      continue;
    }
    const left = leftSince(before, threads.size);
    if (left === undefined) say({ passed: hash });
    else {
      say({ left: hash, what: left });
      process.exit(0);
    }
  }
  await pause(SETTLE_MS);
  say({ end: true });
  process.exit(0);
}

const kept = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Returns a live set with the ids of running threads. */
function threadsBegun() {
  const ids = new Set();
  createHook({
    init: (id, type) => void (type === 'WORKER' && ids.add(id)),
    destroy: (id) => void ids.delete(id),
  }).enable();
  return ids;
}

function leftSince({ active, threads, bytes }, threadsNow) {
  if (threadsNow > threads) return 'a running thread';
  const now = process.getActiveResourcesInfo();
  for (const one of active) {
    const at = now.indexOf(one);
    if (at !== -1) now.splice(at, 1);
  }
  if (now.length > 0) return `something still running (${[...new Set(now)].join(', ')})`;
  const mib = Math.round((kept() - bytes) / MIB);
  return kept() - bytes > MAX_RETAINED ? `${mib} MiB of memory in use` : undefined;
}

function guard({ parent }) {
  setInterval(() => {
    const tooMuch = process.memoryUsage.rss() > MEMORY;
    if (tooMuch) say({ memory: MEMORY / MIB });
    if (tooMuch || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, CHECK_INTERVAL_MS);
}

if (isMainThread) await tryAll();
else guard(workerData);
