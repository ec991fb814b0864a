/** Waits for what no event tells, such as a record of another process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WAIT_MS } from './patience.ts';

const LOOK_MS = 250;

/** Resolves when it holds. @throws Error after the time, or what the condition throws then */
export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = WAIT_MS): Promise<void> {
  for (const until = Date.now() + limitMs; Date.now() < until; await sleep(LOOK_MS)) {
    const isTrue = await Promise.resolve(holds()).catch(() => false);
    if (isTrue) return;
  }
  if (!(await holds())) throw new Error(`the condition was not met within ${limitMs} ms`);
}
