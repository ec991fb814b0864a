import type { ExecutionContext } from 'ava';
import anyTest from 'ava';
import { eventArchiveSpec } from '../../../../engine/events/event-log/event-archive.ts';
import { moveAll, pagesOf } from '../../../../engine/events/event-log/event-archiver.ts';
import { eventMarkSpec } from '../../../../engine/events/event-log/event-marks.ts';
import { RedisTail } from '../../../../engine/events/event-log/redis-tail.ts';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import type { Store } from '../../../../engine/platform/store/port.ts';
import { eventLogConformance } from '../../../conformance/event-log.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openTestLog, type TestLog, written } from '../../../support/engine/event-logs.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const onRedis = needing(noRedis);
const onBoth = needing(noRedis ?? noMongoDb);
const mongo = mongoStore(anyTest);
let redis: RedisServer | undefined;

const server = async (): Promise<RedisServer> => {
  redis ??= await startRedis();
  return redis;
};
anyTest.after.always(() => redis?.stop());

const KEYS = ['nodewright:{events}:marks', 'nodewright:{events}:tail'];
const quiet = { info() {}, warn() {} };

/** Opens processes, each with its own connection. */
async function processes(t: ExecutionContext, store: Store, maxBytes?: number): Promise<() => Promise<TestLog>> {
  const { url } = await server();
  await (await server()).client().del(...KEYS);
  return async () => {
    const connections = await openRedis(url, quiet);
    t.teardown(() => connections.close());
    return openTestLog(store, (marks) => new RedisTail(connections, marks, maxBytes));
  };
}

eventLogConformance(
  (title, run) => onRedis.serial(title, run),
  'Redis',
  (t) => processes(t, new MemoryStore()),
);
eventLogConformance(
  (title, run) => onBoth.serial(title, run),
  'Redis and MongoDB',
  async (t) => {
    for (const spec of [eventArchiveSpec, eventMarkSpec]) await (await mongo().collection(spec)).remove({});
    return processes(t, mongo());
  },
);

const all = async ({ log }: TestLog) => (await log.list({ limit: 1_000, filter: {} })).items;

onRedis.serial('after Redis was replaced by an older copy, no position is used again', async (t) => {
  const open = await processes(t, new MemoryStore());
  const it = await open();
  await it.log.sink.take(written('w', 1, 10));
  const client = (await server()).client();
  const copies = await Promise.all(KEYS.map((key) => client.dumpBuffer(key)));
  await it.log.sink.take(written('lost', 1, 10));
  const highest = await it.log.newestSeq();
  const { pid } = await server();
  await (await server()).kill();
  await (await server()).start();
  t.not((await server()).pid, pid);
  for (const [at, key] of KEYS.entries()) await client.restore(key, 0, copies[at] as Buffer, 'REPLACE');
  await untilDone(() => it.log.sink.take(written('w', 11, 10)));
  const events = (await all(it)).filter(({ n = 0 }) => n > 10);
  t.is(events.length, 10);
  t.true((events[0]?.seq ?? 0) > highest);
});

onRedis.serial(
  'events that only the archive has, because Redis was replaced by an older copy, are still read',
  async (t) => {
    const open = await processes(t, new MemoryStore());
    const it = await open();
    await it.log.sink.take(written('w', 1, 10));
    const client = (await server()).client();
    const copies = await Promise.all(KEYS.map((key) => client.dumpBuffer(key)));
    await it.log.sink.take(written('w', 11, 10));
    await moveAll(it.tail, it.archive);
    for (const [at, key] of KEYS.entries()) await client.restore(key, 0, copies[at] as Buffer, 'REPLACE');
    await moveAll(it.tail, it.archive);
    const before = await all(it);
    t.deepEqual(
      before.map(({ n }) => n),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    t.is(await it.log.newestSeq(), before.at(-1)?.seq ?? 0);
  },
);

onRedis.serial('after Redis was emptied, no position is used again, and the archive is still read', async (t) => {
  const open = await processes(t, new MemoryStore());
  const it = await open();
  await it.log.sink.take(written('w', 1, 10));
  await moveAll(it.tail, it.archive);
  const highest = await it.log.newestSeq();
  await (await server()).client().flushall();
  t.is(await it.log.newestSeq(), highest);
  t.is((await all(it)).length, 10);
  await it.log.sink.take(written('w', 11, 10));
  const events = await all(it);
  t.deepEqual(
    events.map(({ n }) => n),
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
  t.true((events[10]?.seq ?? 0) > highest);
});

onRedis.serial('a process that dies while it archives leaves no event behind, and none twice', async (t) => {
  const open = await processes(t, new MemoryStore());
  const [it, other] = [await open(), await open()];
  await it.log.sink.take(written('w', 1, 50));
  // It dies after the page is written, before the tail drops it.
  const dying = { ...it.tail, after: (position: number) => it.tail.after(position), drop: async () => {} };
  await moveAll(dying as typeof it.tail, it.archive);
  await other.log.sink.take(written('w', 51, 50));
  await Promise.all([moveAll(it.tail, it.archive), moveAll(other.tail, other.archive)]);
  t.deepEqual(
    (await all(other)).map(({ n }) => n),
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  const kept = await it.pages.find({}, { sort: { last: 1 } });
  t.true(kept.every(({ first }, at) => at === 0 || first > (kept[at - 1]?.last ?? 0)));
});

onRedis.serial(
  'while the archive takes nothing, the tail is limited, and what was rejected can be taken later',
  async (t) => {
    const open = await processes(t, new MemoryStore(), 20_000);
    const it = await open();
    let taken = 0;
    await t.throwsAsync(
      async () => {
        for (; taken < 1_000; taken += 10) await it.log.sink.take(written('w', taken + 1, 10));
      },
      { code: 'UNAVAILABLE' },
    );
    t.true(taken > 20);
    t.is(await it.log.newestSeq(), taken);
    await moveAll(it.tail, it.archive);
    await it.log.sink.take(written('w', taken + 1, 10));
    t.is((await all(it)).length, taken + 10);
    const bytes = await (await server()).client().hget(KEYS[0] as string, 'bytes');
    t.true(Number(bytes) > 0 && Number(bytes) < 5_000, `${bytes}`);
  },
);

anyTest('pages join what is consecutive, up to their limit', (t) => {
  const stretch = (first: number, count: number) => ({
    first,
    last: first + count - 1,
    lines: Array.from({ length: count }, (_, at) => `"${first + at}"`).join('\n'),
  });
  const pages = pagesOf([stretch(1, 10), stretch(11, 10), stretch(30, 480), stretch(510, 20), stretch(530, 1)]);
  t.deepEqual(
    pages.map(({ first, last }) => [first, last]),
    [
      [1, 20],
      [30, 529],
      [530, 530],
    ],
  );
  t.deepEqual(pages[0]?.lines.split('\n').length, 20);
});

/** The client may have to connect again first. */
async function untilDone(attempt: () => Promise<unknown> | undefined): Promise<void> {
  for (let left = 50; ; left -= 1) {
    try {
      return void (await attempt());
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
