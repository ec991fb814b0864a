/**
 * The process in which definitions are tried: imports one text after the other, and says what became of each. `trials.ts`
 * starts it; a text that ends it, or never returns, ends nothing else.
 *
 * Arguments: the folder of the texts, and a JSON list of their hashes. Lines of JSON leave by file descriptor 3, written
 * at once, so that the last one tells what was being done when the process ended.
 */
import { createHook } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const MIB = 1_024 * 1_024;
/** What all texts may keep together is as much as V8's heap may be; this is for what lies outside. */
const MEMORY = 1_024 * MIB;
/** What one may keep: the largest of ours keeps 2 MiB, and a package that it imports first some tens. */
const KEPT = 128 * MIB;
const LOOK_MS = 20;
/** What a text begins without waiting for it happens by then. */
const LINGER_MS = 50;

const say = (line) => writeSync(3, `${JSON.stringify(line)}\n`);

async function tryAll() {
  const [, , folder, list] = process.argv;
  // Sees to it that this process ends with its parent, and before it fills the memory of the machine.
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
  await pause(LINGER_MS);
  say({ end: true });
  process.exit(0);
}

const kept = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Ids of threads that were begun and have not ended. */
function threadsBegun() {
  const ids = new Set();
  createHook({
    init: (id, type) => void (type === 'WORKER' && ids.add(id)),
    destroy: (id) => void ids.delete(id),
  }).enable();
  return ids;
}

function leftSince({ active, threads, bytes }, threadsNow) {
  if (threadsNow > threads) return 'a thread that runs';
  const now = process.getActiveResourcesInfo();
  for (const one of active) {
    const at = now.indexOf(one);
    if (at !== -1) now.splice(at, 1);
  }
  if (now.length > 0) return `something that goes on (${[...new Set(now)].join(', ')})`;
  const mib = Math.round((kept() - bytes) / MIB);
  return kept() - bytes > KEPT ? `${mib} MiB of memory in use` : undefined;
}

function guard({ parent }) {
  setInterval(() => {
    const tooMuch = process.memoryUsage.rss() > MEMORY;
    if (tooMuch) say({ memory: MEMORY / MIB });
    if (tooMuch || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

if (isMainThread) await tryAll();
else guard(workerData);
