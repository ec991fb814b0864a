/** Processes on the live port, in this one: each has its own connections to Redis. */
import { type HistoryChunk, historySpec, type StoredHistory } from '../../../engine/durable/live/history-log.ts';
import { workflowKind } from '../../../engine/durable/live/kinds.ts';
import type { LiveState, RecordedRow } from '../../../engine/durable/live/port.ts';
import { RedisHistory } from '../../../engine/durable/live/redis-history.ts';
import { RedisLive } from '../../../engine/durable/live/redis-live.ts';
import { EPOCH_KEY, linesKey, RedisRows } from '../../../engine/durable/live/redis-rows.ts';
import { openRedisState } from '../../../engine/durable/live/redis-state.ts';
import { recordSpec, workflowSpec } from '../../../engine/durable/live/specs.ts';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import { openRedis } from '../../../engine/platform/queue/redis.ts';
import type { RedisConnections } from '../../../engine/platform/redis/redis-connections.ts';
import type { RedisDurability } from '../../../engine/platform/redis/redis-durability.ts';
import type { Collection, Store } from '../../../engine/platform/store/port.ts';
import type { Scope } from '../ava/scope.ts';
import type { Moment } from '../faults/dying-store.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { MemoryStore } from './memory-store.ts';

const log = { info() {}, warn() {} };

export async function openConnections(
  t: Scope,
  url: string,
  durability?: RedisDurability,
  replicas?: number,
): Promise<RedisConnections> {
  const connections = await openRedis(url, log, durability, replicas);
  t.teardown(() => connections.close());
  return connections;
}

/** A server, and the connections of two processes to it. */
export async function startProcesses(t: Scope): Promise<{ server: RedisServer; connections: RedisConnections[] }> {
  const server = await startRedis();
  t.teardown(() => server.stop());
  const connections = [await openConnections(t, server.url), await openConnections(t, server.url)];
  return { server, connections };
}

/** All that moves, as a daemon opens it. @param store of the record; `failed` gets what the recorder retries */
export async function openLive(
  t: Scope,
  connections: RedisConnections,
  store: Store,
  failed: (what: string, error: unknown) => void = () => {},
  restoredMs?: number,
): Promise<LiveState> {
  const state = await openRedisState(connections, store, failed, restoredMs);
  t.teardown(() => state.close());
  return state;
}

/** Awaited before each call to Redis or the record. @returns whether it is interrupted, and when */
/** Calls of a process that a test may interrupt. */
export type InterruptedCall = 'allRows' | 'getAll' | 'take' | 'put' | 'updateEach' | 'get' | 'remove' | 'find';

export type Interrupt = (call: InterruptedCall, process: 'one' | 'two') => Moment | undefined | Promise<undefined>;

export class Interruption extends Error {
  override readonly name = 'Interruption';
}

/** A kind of rows that rest immediately, its record, and two processes that nothing moves but the test. */
export interface Restless {
  record: Collection<RecordedRow<WorkflowRow>>;
  one: RedisLive<WorkflowRow>;
  two: RedisLive<WorkflowRow>;
  /** As the second process sees it. */
  history: RedisHistory;
}

export async function restless(
  name: string,
  connections: readonly RedisConnections[],
  interrupt: Interrupt = () => undefined,
): Promise<Restless> {
  await connections[0]?.commands.set(EPOCH_KEY, 'set by a daemon at its start');
  const store = new MemoryStore();
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  const stored = await store.collection<StoredHistory & HistoryChunk>(historySpec);
  const kind = { ...workflowKind, name, restAfterMs: 0, holdMs: 0 };
  const breakable = <T extends object>(
    process: 'one' | 'two',
    target: T,
    ...methods: (keyof T & InterruptedCall)[]
  ): T => {
    for (const method of methods) {
      const run = (target[method] as (...args: unknown[]) => Promise<unknown>).bind(target);
      const interrupted = async (...args: unknown[]) => {
        const moment = await interrupt(method, process);
        if (moment === 'before') throw new Interruption(method);
        const result = await run(...args);
        if (moment === 'after') throw new Interruption(method);
        return result;
      };
      Object.assign(target, { [method]: interrupted });
    }
    return target;
  };
  const open = (process: 'one' | 'two', connection: RedisConnections | undefined) => {
    if (connection === undefined) throw new Error('expected two connections');
    const rows = breakable(process, new RedisRows(kind, connection), 'allRows', 'getAll', 'take');
    const seen = breakable(
      process,
      Object.create(record) as typeof record,
      'put',
      'updateEach',
      'get',
      'remove',
      'find',
    );
    const chunks = breakable(process, Object.create(stored) as typeof stored, 'put');
    const key = (id: string) => linesKey(name, id);
    const history = new RedisHistory(connection, chunks as Collection<StoredHistory>, record, key);
    const live = new RedisLive(
      rows,
      seen,
      history,
      () => ({ admit() {}, note() {}, drop() {} }),
      () => ({ notice() {}, whenReady: () => undefined }),
    );
    return { live, history };
  };
  const [one, two] = [open('one', connections[0]), open('two', connections[1])];
  return { record, one: one.live, two: two.live, history: two.history };
}

/** Rests idle rows as the recorder does. @returns the number of rows that it took */
export async function restIdle(live: RedisLive<WorkflowRow>, limit = 10): Promise<number> {
  const idle = await live.takeIdle(limit);
  await live.rest(idle);
  return idle.length;
}
