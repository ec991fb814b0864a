/** The course of the last hour, in minutes: workflows under way, started and ended, and busy nodes. */
import { MINUTE_MS } from '../../../engine/vocabulary/units.ts';
import { client } from './daemon-client.ts';

export interface Rates {
  /** Seconds since 1970, of the minutes' starts. */
  times: number[];
  started: number[];
  finished: number[];
  /** Ended workflows that are not below others. */
  finishedTotal: number;
  active: number[];
  busy: number[];
  /** Workflows under way, and how many of them wait or are paused. */
  activeNow: number;
  waitingNow: number;
}

export const MINUTES = 60;
/** Workflows that are read at most; of busier hours the older minutes are missing. */
const MAX_WORKFLOWS = 1_000;

interface Change {
  minute: number;
  hasNode: boolean;
}

/** @throws RequestError */
export async function readRates(): Promise<Rates> {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const minutes = Array.from({ length: MINUTES }, (_, index) => now - MINUTES + 1 + index);
  const since = new Date((now - MINUTES + 1) * MINUTE_MS).toISOString();
  const [starts, ends, active] = await Promise.all([read('startedAt', since), read('finishedAt', since), readActive()]);
  const perMinute = ({ changes }: { changes: readonly Change[] }) =>
    minutes.map((minute) => changes.filter((change) => change.minute === minute).length);
  /** How many there were at the end of each minute, from how many there are. */
  const course = (count: number, counts: (change: Change) => boolean) => {
    const after = (changes: readonly Change[], minute: number) =>
      changes.filter((change) => change.minute > minute && counts(change)).length;
    return minutes.map((minute) => Math.max(0, count - after(starts.changes, minute) + after(ends.changes, minute)));
  };
  return {
    times: minutes.map((minute) => minute * 60),
    started: perMinute(starts),
    finished: perMinute(ends),
    finishedTotal: ends.total,
    active: course(active.total, () => true),
    busy: course(active.busy, ({ hasNode }) => hasNode),
    activeNow: active.total,
    waitingNow: active.waiting,
  };
}

async function read(field: 'startedAt' | 'finishedAt', since: string) {
  const query = {
    root: 'null',
    fields: `${field},node`,
    [`${field}.gte`]: since,
    sort: `-${field}`,
    $top: MAX_WORKFLOWS,
  };
  const { body, total = body.length } = await client.get('/workflows', { query });
  const changes = body.map(({ [field]: at, node }) => ({
    minute: Math.floor(Date.parse(String(at)) / MINUTE_MS),
    hasNode: node !== null,
  }));
  return { total, changes };
}

async function readActive() {
  const query = { root: 'null', active: true, fields: 'node,waiting,paused', $top: MAX_WORKFLOWS };
  const { body, total = body.length } = await client.get('/workflows', { query });
  return {
    total,
    busy: body.filter(({ node }) => node !== null).length,
    waiting: body.filter(({ waiting, paused }) => waiting !== null || paused !== null).length,
  };
}
