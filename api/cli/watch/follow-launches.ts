/**
 * Follows a batch until its nodes are launched, or as many as may be active: the answer to a launch has the first 50 of them.
 * Ctrl-C ends the command only: the batch continues.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import { EXIT } from '../exit-codes.ts';
import { inform, isTerminal, printableText } from '../terminal.ts';
import { withInterrupt } from './watch-to-end.ts';
import { type Batch, countIn, countsOf } from './watched-batch.ts';

const POLL_INTERVAL_MS = 500;

const activeIn = (batch: Batch): number => countIn(batch, 'pending') + countIn(batch, 'running');

/** Whether nothing of it is launched before others end. */
const isLaunched = (batch: Batch): boolean =>
  batch.status !== 'running' ||
  batch.waiting.length === 0 ||
  (batch.concurrency !== null && activeIn(batch) >= batch.concurrency);

/** @returns the batch as it was read last */
export async function followLaunches(client: Client, first: Batch): Promise<Batch> {
  if (isLaunched(first)) return first;
  const { result, isInterrupted } = await withInterrupt(undefined, (signal) =>
    isTerminal ? followLive(client, first, signal) : follow(client, first, signal, inform),
  );
  if (isInterrupted) process.exitCode = EXIT.interrupted;
  return result;
}

async function follow(
  client: Client,
  first: Batch,
  signal: AbortSignal,
  notice: (away: string) => void,
  show: (batch: Batch) => void = () => {},
): Promise<Batch> {
  let batch = first;
  let isAway = false;
  while (!signal.aborted && !isLaunched(batch)) {
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    try {
      ({ body: batch } = await client.get('/batches/:id', { params: { id: first.id } }));
      isAway = false;
      show(batch);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isAway) notice(printableText(`no connection, tries again: ${messageOf(error)}`));
      isAway = true;
    }
  }
  return batch;
}

async function followLive(client: Client, first: Batch, signal: AbortSignal): Promise<Batch> {
  const { showLive } = await import('./live-lines.ts');
  let batch = first;
  let away = '';
  const title = () => printableText(`${batch.name}, batch ${batch.id}: ${countsOf(batch)}  ${away}`);
  await showLive(
    () => ({ title: title(), lines: [] }),
    async (changed) => {
      const show = (next: Batch) => {
        [batch, away] = [next, ''];
        changed();
      };
      const notice = (text: string) => {
        away = text;
      };
      await follow(client, first, signal, notice, show);
      return isLaunched(batch) ? 'succeeded' : 'continues';
    },
  );
  return batch;
}
