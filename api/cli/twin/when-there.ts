/** A twin and its daemon start in any order: each waits for the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { Client } from '../client.ts';
import { inform } from '../terminal.ts';

const AGAIN_MS = 1_000;

/** Repeats the request while the daemon is away, or starts. @throws what else it throws; the reason of the signal */
export async function whenThere<T>(client: Client, request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let lastProblem = ''; ; ) {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (!client.isPassing(error)) throw error;
      const text = messageOf(error);
      if (text !== lastProblem) inform(`Waiting for the daemon: ${text}`);
      lastProblem = text;
    }
    await sleep(AGAIN_MS, undefined, { signal });
  }
}
