/**
 * The watchdog's thread: sees, from outside, when the main thread does not come back from an author's code, writes that
 * down and ends the process. `watchdog.ts` starts it; `marker.ts` says what the memory holds.
 *
 * 1. Time is counted in ticks of this thread, so that a process that was stopped, or a machine that slept, is not
 *    taken for code that does not return.
 * 2. On a busy machine code may wait long for the processor. So the process has to have used half of the limit; code that
 *    waits without using the processor gets `PATIENCE` times the limit.
 * 3. The end is SIGKILL: no other one reaches a main thread that does not return.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { memory, control, file, limitMs } = workerData;
const PATIENCE = 6;
const TICKS = 20;
const RUNS = 0;
const FATE = 1;
const HELD_MS = 2;
const LENGTH = 3;
const TEXT = 16;
const HELD = 1;

const fields = new Int32Array(memory);
const stop = new Int32Array(control);
const tickMs = Math.min(250, Math.max(5, Math.ceil(limitMs / TICKS)));

let seen = 0;
let ticks = 0;
let cpu = 0;

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

while (Atomics.wait(stop, 0, 0, tickMs) === 'timed-out') {
  const now = Atomics.load(fields, RUNS);
  if (now % 2 === 0 || now !== seen) {
    seen = now;
    ticks = 0;
    cpu = cpuMs();
    continue;
  }
  ticks += 1;
  const heldMs = ticks * tickMs;
  const isComputing = heldMs >= limitMs && cpuMs() - cpu >= limitMs / 2;
  if (isComputing || heldMs >= limitMs * PATIENCE) end(heldMs);
}

function end(heldMs) {
  fields[FATE] = HELD;
  fields[HELD_MS] = heldMs;
  const bytes = Buffer.from(memory);
  const [workflow, graph, cause] = bytes.toString('utf8', TEXT, TEXT + fields[LENGTH]).split('\n');
  const line =
    `nodewright: workflow ${workflow} (${graph}, ${cause}) has held the daemon for ${heldMs} ms; ` +
    'the process ends, and the next start quarantines the workflow\n';
  safely(() => writeSync(file, bytes, 0, bytes.length, 0));
  safely(() => writeSync(2, line));
  process.kill(process.pid, 'SIGKILL');
}

/** Whatever cannot be written, the process has to end. */
function safely(write) {
  try {
    write();
  } catch {}
}
