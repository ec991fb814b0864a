/** Saved steps while the server forgets its scripts or is full, while its answers are lost, and while MongoDB is away. */
import type { ExecutionContext } from 'ava';
import type { LiveRows } from '../../../../engine/durable/live/port.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow, shown } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openConnections, openLive, restIdle, restless } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { startProxy } from '../../../support/servers/proxy.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const ROOM = 2 * 1024 * 1024;

async function start(t: ExecutionContext): Promise<RedisServer> {
  const server = await startRedis();
  t.teardown(() => server.stop());
  return server;
}

async function open(t: ExecutionContext, url: string): Promise<LiveRows<WorkflowRow>> {
  return (await openLive(t, await openConnections(t, url), new MemoryStore())).workflows;
}

const next = (row: WorkflowRow, more: Partial<WorkflowRow> = {}): WorkflowRow => ({
  ...row,
  version: row.version + 1,
  ...more,
});

redis.serial('steps are saved although the server forgets its scripts in the middle', async (t) => {
  const server = await start(t);
  const live = await open(t, server.url);
  const rows = Array.from({ length: 20 }, () => newRow());
  t.true((await live.insert(rows)).every(Boolean));
  let isOver = false;
  const stepping = rows.map(async (row) => {
    let last = row;
    while (!isOver || last.version < row.version + 10) {
      const [saved] = await live.save([{ before: last, row: next(last) }]);
      t.true(saved);
      last = next(last);
    }
    return last;
  });
  const client = server.client();
  for (let flush = 0; flush < 50; flush += 1) await client.script('FLUSH');
  isOver = true;
  for (const row of await Promise.all(stepping)) t.deepEqual(shown(await live.get(row.id)), shown(row));
});

redis.serial('a row that Redis has lost fails no other save of its batch', async (t) => {
  const server = await start(t);
  const live = await restless('lost', [await openConnections(t, server.url), await openConnections(t, server.url)]);
  const [lost, other] = [newRow(), newRow()];
  await live.one.insert([lost, other]);
  await live.one.record([lost, other]);
  await server.client().del(`nodewright:{live}:lost:row:${lost.id}`);
  const [unknown, saved] = await live.one.save([lost, other].map((before) => ({ before, row: next(before) })));
  t.like(unknown, { code: 'UNAVAILABLE' });
  t.true(saved);
});

/** The server has room for that many more bytes. */
async function leave(server: RedisServer, bytes: number): Promise<void> {
  const used = /used_memory:(\d+)/.exec(await server.client().info('memory'))?.[1];
  await server.client().config('SET', 'maxmemory', bytes === 0 ? 0 : Number(used) + bytes);
}

const text = 'x'.repeat(10_000);

/** Launches until the server is full. @returns the rows that were answered */
async function filled(
  t: ExecutionContext,
  live: LiveRows<WorkflowRow>,
  more: Partial<WorkflowRow>,
): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  for (let n = 0; n < 2_000; n += 1) {
    const row = { ...newRow(), ...more, options: { text } };
    try {
      t.deepEqual(await live.insert([row]), [true]);
    } catch (error) {
      t.like(error, { code: 'UNAVAILABLE' });
      t.regex((error as Error).message, /^Redis answered with an error: .*OOM/);
      return rows;
    }
    rows.push(row);
  }
  throw new Error('the server was never full');
}

redis.serial(
  'a full server rejects launches and steps, has every answered row, and continues when it has room',
  async (t) => {
    const server = await start(t);
    const live = await open(t, server.url);
    await leave(server, ROOM);
    const rows = await filled(t, live, {});
    const last = rows.at(-1) as WorkflowRow;
    const longer = next(last, { options: { text: text.repeat(2) } });
    await t.throwsAsync(live.save([{ before: last, row: longer }]), { code: 'UNAVAILABLE' });
    for (const row of rows) t.deepEqual(shown(await live.get(row.id)), shown(row));
    t.is(await live.view.count({ status: 'running' }), rows.length);
    await leave(server, 0);
    t.deepEqual(await live.save([{ before: last, row: longer }]), [true]);
    t.deepEqual(await live.insert([newRow()]), [true]);
  },
);

redis.serial('workflows that have ended leave a full server, which makes room', async (t) => {
  const server = await start(t);
  const connections = [await openConnections(t, server.url), await openConnections(t, server.url)];
  const { record, one, two } = await restless('full', connections);
  await leave(server, ROOM);
  const rows = await filled(t, one, { pending: false, pendingEffects: [], status: 'succeeded' });
  await one.record(await one.takeUnrecorded(10));
  while ((await restIdle(one, 50)) > 0);
  t.deepEqual(await server.client().keys('nodewright:{live}:full:row:*'), []);
  t.is(await record.count({ phase: 'resting' }), rows.length);
  t.deepEqual(await two.insert([newRow()]), [true]);
});

redis.serial('a removal is possible on a full server', async (t) => {
  const server = await start(t);
  const live = await open(t, server.url);
  await leave(server, ROOM);
  const [first] = await filled(t, live, {});
  await live.remove((first as WorkflowRow).id);
  t.is(await live.get((first as WorkflowRow).id), undefined);
});

redis.serial('a step whose answer is lost is not taken twice', async (t) => {
  const server = await start(t);
  const proxy = await startProxy(server.port);
  t.teardown(() => proxy.stop());
  const live = await open(t, `redis://127.0.0.1:${proxy.port}`);
  const row = newRow();
  await live.insert([row]);
  // The server has the script then.
  await live.save([{ before: row, row: next(row) }]);
  const rows = new Rows(live, true);
  const lost = proxy.loseAnswerTo('mark');
  const outcome = await rows
    .step(row.id, async (found) => {
      const taken = Number(found.options.taken ?? 0) + 1;
      return { changed: true, row: next(found, { options: { mark: 'mark', taken } }), replies: [] };
    })
    .catch((error: unknown) => error);
  await lost;
  t.like(outcome, { code: 'UNAVAILABLE' }, 'the outcome is unknown');
  t.is((await live.get(row.id))?.options.taken, 1);
  const launched = newRow();
  const gone = proxy.loseAnswerTo(launched.id);
  await t.throwsAsync(live.insert([launched]), { code: 'UNAVAILABLE' });
  await gone;
  t.is((await live.get(launched.id))?.id, launched.id);
});

redis.serial(
  'while MongoDB is away for long, running workflows take steps, and launches are rejected from a bound on',
  async (t) => {
    const server = await start(t);
    const connections = await openConnections(t, server.url);
    const store = new MemoryStore();
    const workflows = await store.collection<WorkflowRow>({ name: 'workflows', indexes: {} });
    const put = workflows.put.bind(workflows);
    let isAway = true;
    workflows.put = async (rows) => {
      if (isAway) throw new Error('away');
      return put(rows as never);
    };
    const { workflows: live } = await openLive(t, connections, store);
    const running = newRow();
    await live.insert([running]);
    let [launched, rejection]: [number, unknown] = [1, undefined];
    while (rejection === undefined && launched < 20_000) {
      const rows = Array.from({ length: 200 }, (_, n) => ({ ...running, id: `${launched + n}` }));
      await live.insert(rows).catch((error: unknown) => {
        rejection = error;
      });
      if (rejection === undefined) launched += rows.length;
    }
    t.like(rejection, { code: 'UNAVAILABLE' });
    t.regex(String(rejection), /MongoDB has not taken the last \d+ changes; nothing new starts until it does/);
    t.true(launched <= 10_400, `${launched}`);
    const stepped = next(running, { status: 'failed' });
    t.deepEqual(await live.save([{ before: running, row: stepped }]), [true]);
    t.is((await live.get(running.id))?.status, 'failed');
    isAway = false;
    while ((await workflows.count({})) < launched) await new Promise((resolve) => setTimeout(resolve, 50));
    t.deepEqual(await live.insert([newRow()]), [true]);
  },
);
