/** A simulation depends on nothing but its seed: neither on the speed of the machine, nor on what ends in real time. */
import { createHook } from 'node:async_hooks';
import { rmSync } from 'node:fs';
import test from 'ava';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { loadLibrary } from './library.ts';
import { simulate } from './simulation.ts';

/** Callbacks without I/O, and calls that end before they return. */
const IMMEDIATE = ['PROMISE', 'TickObject', 'Microtask', 'Immediate', 'ZLIB', 'DERIVEBITSREQUEST', 'HASHREQUEST'];
const LEAST_LIMIT_MS = 5_000;

/** Limits of less than a day pass before anything is done, as on a machine that has no time for this process. */
async function withoutTime<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  const isPassed = (ms: number) => ms >= LEAST_LIMIT_MS && ms < DAY_MS;
  const soon = (run: () => void, ms = 0) => setTimeout(run, isPassed(ms) ? 0 : ms);
  globalThis.setTimeout = soon as typeof setTimeout;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

test.serial(
  'definitions are loaded also where each limit of time passes, and what happens then waits for nothing real',
  async (t) => {
    const { definitions, dataDir } = await withoutTime(loadLibrary);
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    t.is(definitions.library.errors()[0]?.message, undefined);
    const waits = new Set<string>();
    const hook = createHook({ init: (_, type) => void (IMMEDIATE.includes(type) || waits.add(type)) });
    hook.enable();
    const plan = { seed: 7, daemons: 3, crashesPerHour: 15, fleet: true, rounds: { from: 0, to: 2 } };
    const { violation, launches } = await simulate(plan, { definitions, dataDir }).finally(() => hook.disable());
    t.is(violation, undefined);
    t.true(launches > 0);
    t.deepEqual([...waits], []);
  },
);
