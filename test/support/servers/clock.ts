/** A daemon whose clock jumps: `Date` in its process is shifted, the monotonic clock is not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import type { DaemonProcess } from './daemon.ts';

/** Runs in the daemon before its own code, in plain JavaScript. */
const shifting = `
import { readFileSync } from 'node:fs';
const Real = Date;
let shift = Number(process.env.CLOCK_SHIFT ?? 0);
const now = () => Real.now() + shift;
process.on('SIGUSR2', () => { shift = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')); });
globalThis.Date = new Proxy(Real, {
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Real(now()).toString(),
});`;

export interface Clock {
  /** Environment of the daemon's process; `CLOCK_SHIFT` is its shift from its start. */
  env: NodeJS.ProcessEnv;
  /** Resolves when the shift is in effect. @param shift ms from the machine's own clock; a starting daemon has 0 */
  set(daemon: DaemonProcess, shift: number): Promise<void>;
}

const NEAR_MS = 60_000;

export function shiftedClock(t: Scope): Clock {
  const file = join(folder(t), 'shift');
  const source = `data:text/javascript,${encodeURIComponent(shifting)}`;
  return {
    env: { NODE_OPTIONS: `--import=${source}`, CLOCK_FILE: file },
    async set(daemon, shift) {
      writeFileSync(file, String(shift));
      daemon.signal('SIGUSR2');
      while (Math.abs((await told(daemon)) - (Date.now() + shift)) > NEAR_MS) await setTimeout(20);
    },
  };
}

/** Returns the daemon's current time, from its log of a request. */
async function told(daemon: DaemonProcess): Promise<number> {
  await daemon.api('GET', '/nodes');
  return (JSON.parse(daemon.log.at(-1) ?? '{}') as { time?: number }).time ?? 0;
}
