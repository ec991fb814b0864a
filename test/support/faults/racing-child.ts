/**
 * A process that takes steps of the given rows as fast as it can, each of which counts itself, while idle rows come to
 * rest immediately. Prints `ready`, begins at the first line of its input, ends at the second, and prints its answered steps.
 */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { historySpec, type StoredHistory } from '../../../engine/durable/live/history-log.ts';
import { workflowKind } from '../../../engine/durable/live/kinds.ts';
import type { RecordedRow } from '../../../engine/durable/live/port.ts';
import { Recorder } from '../../../engine/durable/live/recorder.ts';
import { RedisHistory } from '../../../engine/durable/live/redis-history.ts';
import { RedisLive } from '../../../engine/durable/live/redis-live.ts';
import { EPOCH_KEY, linesKey, RedisRows } from '../../../engine/durable/live/redis-rows.ts';
import { recordSpec, workflowSpec } from '../../../engine/durable/live/specs.ts';
import { Rows } from '../../../engine/durable/runtime/rows.ts';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import { openRedis } from '../../../engine/platform/queue/redis.ts';
import { openMongoStore } from '../../../engine/platform/store/mongodb.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';

export interface Race {
  redis: string;
  mongodb: string;
  ids: string[];
  /** Name of this process: a field of each row counts its steps. */
  racer: string;
}

export interface Raced {
  /** Steps by row. */
  answered: Record<string, number>;
  /** Attempts to put a row to rest. */
  rested: number;
}

export const countOf = ({ options }: WorkflowRow, racer: string): number => Number(options[racer] ?? 0);

/** Some rows are idle for a moment. */
const PAUSE_MS = 20;

export async function openRaced({ redis, mongodb }: Pick<Race, 'redis' | 'mongodb'>) {
  const log = { info() {}, warn() {} };
  const connections = await openRedis(redis, log);
  const store = await openMongoStore(mongodb, log);
  await connections.commands.set(EPOCH_KEY, 'set by a daemon at its start');
  const kind = { ...workflowKind, name: 'raced', restAfterMs: 0, holdMs: 1_000 };
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  const stored = await store.collection<StoredHistory>(historySpec);
  const history = new RedisHistory(connections, stored, record, (id) => linesKey(kind.name, id));
  const live: RedisLive<WorkflowRow> = new RedisLive(
    new RedisRows(kind, connections),
    record,
    history,
    () => recorder,
    () => ({ notice() {}, whenReady: () => undefined }),
  );
  const recorder = new Recorder(live, kind, (error) => console.error(error));
  const close = async () => {
    await recorder.close();
    await store.close();
    await connections.close();
  };
  return { live, recorder, close };
}

async function race(given: Race): Promise<void> {
  const { ids, racer } = given;
  const { live, recorder, close } = await openRaced(given);
  let rested = 0;
  const { rest } = live;
  live.rest = async (rows) => {
    rested += rows.length;
    await rest.call(live, rows);
  };
  recorder.start();
  const rows = new Rows(live, true);
  const answered: Record<string, number> = Object.fromEntries(ids.map((id) => [id, 0]));
  const step = async (id: string) => {
    try {
      await rows.step(id, async (row) => {
        const options = { ...row.options, [racer]: countOf(row, racer) + 1 };
        return { changed: true, row: { ...row, version: row.version + 1, options }, replies: [] };
      });
      answered[id] = (answered[id] as number) + 1;
    } catch (error) {
      // The process that won the last race saves immediately, the others read first: one may lose very often.
      if (!(error instanceof NodewrightError) || error.code !== 'CONFLICT') throw error;
    }
  };
  let isOver = false;
  console.log('ready');
  await once(process.stdin, 'data');
  const over = once(process.stdin, 'data').then(() => {
    isOver = true;
  });
  const runs = ids.map(async (id) => {
    while (!isOver) {
      await step(id);
      if (Math.random() < 0.1) await setTimeout(Math.random() * PAUSE_MS);
    }
  });
  await Promise.all([over, ...runs]);
  await close();
  console.log(JSON.stringify({ answered, rested } satisfies Raced));
  process.exit(0);
}

if (process.env.RACE !== undefined) await race(JSON.parse(process.env.RACE) as Race);
