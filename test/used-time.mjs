/**
 * Loaded by the processes of tests: each writes a line of JSON when it ends, with the times that its files of tests took.
 * `run.mjs` prints the costliest ones, so that a change that makes CI slow is seen where it is. It also watches the processes
 * that no parent waits for (`process-times.mjs`).
 */
import { appendFileSync, readFileSync } from 'node:fs';
import test from 'ava';

const { NODEWRIGHT_TEST_TIMES: list } = process.env;
/** Ticks of Linux per second. */
const TICKS = 100;
const US = 1_000_000;

/** @returns seconds of CPU time of the processes that it started and that have ended; 0 where Linux does not say it */
function ofChildren() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return 0;
  }
}

process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / US + ofChildren();
  const file = new URL(test.meta.file).pathname;
  const line = { file, pid: process.pid, cpu, wall: process.uptime(), end: Date.now() };
  appendFileSync(list, `${JSON.stringify(line)}\n`);
});
