/**
 * The CPU time of the processes that no parent waits for: machines in QEMU, those of a browser, the children of a killed
 * daemon. The time of such a process is in no sum when it has ended; it is read while the process runs.
 */
import { readdirSync, readFileSync } from 'node:fs';

const LOOK_MS = 1_000;
/** Ticks of Linux per second. */
const TICKS = 100;

/** @returns reads the seconds of CPU time of the process of a test, by its id, and of its descendants */
export function watchTimes(lookMs = LOOK_MS) {
  /** By pid and start: the process of a test that it descends from, and its ticks. */
  const seen = new Map();
  const look = () => {
    const running = processes();
    for (const { pid, start, ticks } of running.values()) {
      const key = `${pid} ${start}`;
      const test = seen.get(key)?.test ?? testAbove(pid, running);
      if (test !== undefined) seen.set(key, { test, ticks });
    }
  };
  setInterval(look, lookMs).unref();
  return (test) => [...seen.values()].reduce((sum, each) => sum + (each.test === test ? each.ticks : 0), 0) / TICKS;
}

/** @returns the process itself or the one above it that AVA, a child of this process, has started */
function testAbove(pid, running) {
  for (let at = running.get(pid); at !== undefined; at = running.get(at.parent)) {
    if (running.get(at.parent)?.parent === process.pid) return at.pid;
  }
  return undefined;
}

/** @returns all processes by pid; none where Linux does not list them */
function processes() {
  const found = new Map();
  for (const name of list('/proc')) {
    const [, fields] = /^\d+ \(.*\) \S (.*)$/s.exec(read(`/proc/${name}/stat`)) ?? [];
    if (fields === undefined) continue;
    const numbers = fields.split(' ');
    const [parent, user, system, start] = [0, 10, 11, 18].map((at) => Number(numbers[at]));
    found.set(Number(name), { pid: Number(name), parent, ticks: user + system, start });
  }
  return found;
}

function list(folder) {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** A process may have ended. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
