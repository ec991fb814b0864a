/** Restarts the machine two seconds after its agent has got the command, so that the result arrives before. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine } from '../machine/twin-machine.ts';

const DELAY_MS = 2_000;

/** @param submission of the result of the command */
export async function restart(machine: Machine, submission: Promise<void>, signal: AbortSignal): Promise<void> {
  submission.catch(() => {}); // awaited below, unless the power changes before
  await machine.around.time.after(DELAY_MS, signal);
  // However quickly field time passes, the daemon gets two seconds of its own.
  const limit = sleep(DELAY_MS, undefined, { ref: false });
  await Promise.race([submission, limit]);
  signal.throwIfAborted();
  await machine.reboot('agent');
  await submission.catch(() => {}); // the power has changed
}
