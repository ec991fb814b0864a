/** Workflows that started and that ended in each of the last minutes. */

import { MINUTE_MS } from '../../../engine/vocabulary/units.ts';
import { client } from './daemon-client.ts';

export interface Rates {
  /** Seconds since 1970, of the minutes' starts. */
  times: number[];
  started: number[];
  finished: number[];
}

export const MINUTES = 60;
/** Workflows that are read at most; of busier hours the older minutes are missing. */
const MAX_WORKFLOWS = 1_000;

/** @throws RequestError */
export async function readRates(): Promise<Rates> {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const minutes = Array.from({ length: MINUTES }, (_, index) => now - MINUTES + 1 + index);
  const since = new Date((now - MINUTES + 1) * MINUTE_MS).toISOString();
  const [started, finished] = await Promise.all([read('startedAt', since), read('finishedAt', since)]);
  const countsPerMinute = (all: Map<number, number>) => minutes.map((minute) => all.get(minute) ?? 0);
  return {
    times: minutes.map((minute) => minute * 60),
    started: countsPerMinute(started),
    finished: countsPerMinute(finished),
  };
}

async function read(field: 'startedAt' | 'finishedAt', since: string): Promise<Map<number, number>> {
  const query = { fields: field, [`${field}.gte`]: since, sort: `-${field}`, $top: MAX_WORKFLOWS };
  const { body } = await client.get('/workflows', { query });
  const counts = new Map<number, number>();
  for (const { [field]: at } of body) {
    const minute = Math.floor(Date.parse(String(at)) / MINUTE_MS);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return counts;
}
