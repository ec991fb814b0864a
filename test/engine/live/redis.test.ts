import test, { type TestFn } from 'ava';
import fc from 'fast-check';
import { historySpec, type StoredHistory } from '../../../engine/live/history-log.ts';
import { workflowKind } from '../../../engine/live/kinds.ts';
import type { LiveState, Recorded } from '../../../engine/live/port.ts';
import { RedisHistory } from '../../../engine/live/redis-history.ts';
import { RedisLive } from '../../../engine/live/redis-live.ts';
import { linesKey, RedisRows } from '../../../engine/live/redis-rows.ts';
import { openRedisState } from '../../../engine/live/redis-state.ts';
import { recordSpec, workflowSpec } from '../../../engine/live/specs.ts';
import { openRedis } from '../../../engine/queue/redis.ts';
import type { RedisConnections } from '../../../engine/queue/redis-connections.ts';
import { Rows } from '../../../engine/runtime/rows.ts';
import type { WorkflowRow } from '../../../engine/step/row.ts';
import { liveConformance, newRow, shown, stepped } from '../../conformance/live.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { needing } from '../../support/needing.ts';
import { noRedis, type RedisServer, startRedis } from '../../support/redis.ts';

const redis = needing(noRedis);
const log = { info() {}, warn() {} };
const record = new MemoryStore();
let server: RedisServer;
const connections: RedisConnections[] = [];
const states: LiveState[] = [];

test.before(async () => {
  if (noRedis) return;
  server = await startRedis();
  for (const _ of [0, 1]) {
    const opened = await openRedis(server.url, log);
    connections.push(opened);
    states.push(await openRedisState(opened, record, (what, error) => console.error(what, error)));
  }
});
test.after.always(async () => {
  for (const state of states) await state.close();
  for (const connection of connections) await connection.close();
  await server?.stop();
});

liveConformance(redis.serial as unknown as TestFn, (process) => (states[process] as LiveState).workflows);

const rests = async ({ live }: { live: RedisLive<WorkflowRow> }) => live.rest(await live.takeIdle(5));

/** Rows of which any may rest at any time; `interrupt` may end a call of the record, before or after it took effect. */
async function restless(name: string, interrupt: (call: string) => 'no' | 'before' | 'after' = () => 'no') {
  const own = new MemoryStore();
  const record = await own.collection<Recorded<WorkflowRow>>(recordSpec(workflowSpec));
  const stored = await own.collection<StoredHistory>(historySpec);
  const kind = { ...workflowKind, name, restAfterMs: 0, holdMs: 0 };
  const calls = { put: record.put.bind(record) };
  record.put = async (rows) => {
    const moment = interrupt('put');
    if (moment === 'before') throw new Error('interrupted');
    const written = await calls.put(rows);
    if (moment === 'after') throw new Error('interrupted');
    return written;
  };
  const open = (process: 0 | 1) => {
    const connection = connections[process] as RedisConnections;
    const history = new RedisHistory(connection, stored, (id) => linesKey(name, id));
    const none = { admit() {}, note() {} };
    return {
      live: new RedisLive(
        new RedisRows(kind, connection),
        record,
        history,
        () => none,
        () => {},
      ),
      history,
    };
  };
  return { record, one: open(0), two: open(1), client: server.client() };
}

redis.serial('a row that rests is a document only, and is in Redis again for its next step', async (t) => {
  const { record, one, two, client } = await restless('resting');
  const row = { ...newRow(), pending: false, pendingEffects: [] };
  await one.live.insert([row]);
  await rests(one);
  t.deepEqual(await client.keys('nodewright:{live}:resting:*'), []);
  const resting = (await two.live.get(row.id)) as WorkflowRow;
  t.deepEqual(shown(resting), shown({ ...row, version: row.version + 1 }));
  t.is((await record.get(row.id))?.live, false);
  const rows = new Rows(two.live, true);
  const result = await rows.step(row.id, async (found) => ({ changed: true, row: stepped(found), replies: [] }));
  t.true((result?.row.version ?? 0) > resting.version);
  t.deepEqual(shown(await one.live.get(row.id)), shown(result?.row));
  t.is((await record.get(row.id))?.live, true);
});

redis.serial(
  'of steps, rests and failures of the record in any order, no saved step is lost or taken twice',
  async (t) => {
    const moments = fc.array(fc.constantFrom('step', 'other step', 'rest', 'other rest', 'forget'), {
      minLength: 5,
      maxLength: 30,
    });
    const interruptions = fc.infiniteStream(
      fc.constantFrom('no', 'no', 'no', 'before', 'after') as fc.Arbitrary<'no' | 'before' | 'after'>,
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(moments, interruptions, async (order, interrupts) => {
        runs += 1;
        const { one, two, record } = await restless(`race${runs}`, () => interrupts.next().value);
        const row = {
          ...newRow(),
          pending: false,
          pendingEffects: [],
          counts: { taskRuns: 0, operations: 0, history: 0 },
        };
        await one.live.insert([row]);
        let saved = 0;
        const count = async ({ live }: typeof one) => {
          const rows = new Rows(live, true);
          const result = await rows
            .step(row.id, async (found) => {
              const counts = { ...found.counts, history: found.counts.history + 1 };
              return { changed: true, row: { ...found, version: found.version + 1, counts }, replies: [] };
            })
            .catch(() => undefined);
          if (result !== undefined) saved += 1;
        };
        await Promise.all(
          order.map(async (moment, at) => {
            for (let n = 0; n < at % 3; n += 1) await new Promise(setImmediate);
            if (moment === 'step') await count(one);
            else if (moment === 'other step') await count(two);
            else if (moment === 'rest') await rests(one).catch(() => {});
            else if (moment === 'other rest') await rests(two).catch(() => {});
          }),
        );
        await rests(one).catch(() => {});
        const found = await two.live.get(row.id);
        t.is(found?.counts.history, saved, JSON.stringify({ order, live: (await record.get(row.id))?.live }));
        t.is(await two.live.view.count({ id: row.id }), 1);
      }),
      { numRuns: 150 },
    );
  },
);
