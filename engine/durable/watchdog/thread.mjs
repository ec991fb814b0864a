/**
 * The watchdog's thread: detects when the main thread does not return from an author's code, records that and kills the
 * process. Started by `watchdog.ts`; `marker.ts` defines the shared memory.
 *
 * 1. Time is measured in ticks of this thread, so that a stopped process or a sleeping machine does not look like code
 *    that never returns.
 * 2. On a busy machine code may wait long for the processor. The process must therefore have used half of the limit as
 *    CPU time; code that waits without using the processor gets `PATIENCE` times the limit.
 * 3. It kills with SIGKILL, because a blocked main thread handles no other signal.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { memory, control, file, limitMs } = workerData;
const PATIENCE = 6;
const TICKS = 20;
const RUNS = 0;
const FATE = 1;
const BLOCKED_MS = 2;
const TEXT_LENGTH_FIELD = 3;
const TEXT_OFFSET = 16;
const BLOCKED = 1;

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
  const blockedMs = ticks * tickMs;
  const isComputing = blockedMs >= limitMs && cpuMs() - cpu >= limitMs / 2;
  if (isComputing || blockedMs >= limitMs * PATIENCE) end(blockedMs);
}

function end(blockedMs) {
  fields[FATE] = BLOCKED;
  fields[BLOCKED_MS] = blockedMs;
  const bytes = Buffer.from(memory);
  const [workflow, graph, cause] = bytes
    .toString('utf8', TEXT_OFFSET, TEXT_OFFSET + fields[TEXT_LENGTH_FIELD])
    .split('\n');
  const line =
    `nodewright: workflow ${workflow} (${graph}, ${cause}) has blocked the daemon for ${blockedMs} ms; ` +
    'the process ends, and the next start quarantines the workflow\n';
  safely(() => writeSync(file, bytes, 0, bytes.length, 0));
  safely(() => writeSync(2, line));
  process.kill(process.pid, 'SIGKILL');
}

/** The process must end even if a write fails. */
function safely(write) {
  try {
    write();
  } catch {}
}
