/** The requests of installers and of installed systems, with the retries of curl. */

import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { pauseFor } from '../commands/command-run.ts';
import type { Machine, SouthAnswer } from '../machine/twin-machine.ts';

const REQUEST_MS = 60_000;
/** `curl --retry 10`, which doubles its pause from a second on. */
const RETRIES = 10;
const FIRST_PAUSE_MS = 1_000;
const CALL_LEAST_MS = 500;
/** Statuses after which curl tries again; 0: there was no answer. */
const PASSING = new Set([0, 408, 429, 500, 502, 503, 504]);
const CALL_PAUSE_MS = 5_000;

/** A notification of RackHD is posted; a callback accepts both. */
const methodOf = (url: string): 'GET' | 'POST' => (/\/notification\?/.test(url) ? 'POST' : 'GET');

async function fetchOnce(machine: Machine, url: string, signal: AbortSignal): Promise<SouthAnswer> {
  try {
    return await machine.around.ask(machine, { method: methodOf(url), url, timeoutMs: REQUEST_MS }, signal);
  } catch (error) {
    signal.throwIfAborted();
    machine.around.tell(machine, messageOf(error));
    return { status: 0, text: '' };
  }
}

/** @returns the text; undefined if the server has rejected the request, or has not answered for some minutes */
export async function fetchText(machine: Machine, url: string, signal: AbortSignal): Promise<string | undefined> {
  for (let tries = 0; tries <= RETRIES; tries += 1) {
    const { status, text } = await fetchOnce(machine, url, signal);
    if (status >= 200 && status < 300) return text;
    if (!PASSING.has(status)) return undefined;
    await pauseFor(machine, FIRST_PAUSE_MS * 2 ** tries, CALL_LEAST_MS, signal);
  }
  return undefined;
}

/** Calls the URL until it is answered with 2xx, as the units of the first boot do. */
export async function callUntilDone(machine: Machine, url: string, signal: AbortSignal): Promise<void> {
  for (let lastStatus = 0; ; ) {
    const { status } = await fetchOnce(machine, url, signal);
    if (status >= 200 && status < 300) return;
    if (status !== lastStatus) machine.around.tell(machine, `a callback of the first boot is answered with ${status}`);
    lastStatus = status;
    await pauseFor(machine, CALL_PAUSE_MS, CALL_LEAST_MS, signal);
  }
}
