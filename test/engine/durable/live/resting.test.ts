import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { workflowKind } from '../../../../engine/durable/live/kinds.ts';
import type { RecordedRow } from '../../../../engine/durable/live/port.ts';
import { RedisRows } from '../../../../engine/durable/live/redis-rows.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import { Interruption, type Restless, restIdle, restless, startProcesses } from '../../../support/engine/live.ts';
import type { Moment } from '../../../support/faults/dying-store.ts';
import { noRedis, type RedisServer } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const scope = new OwnScope();
let server: RedisServer;
let connections: RedisConnections[] = [];

test.before(async () => {
  if (!noRedis) ({ server, connections } = await startProcesses(scope));
});
test.after.always(() => scope.close());

const idleRow = (): WorkflowRow => ({
  ...newRow(),
  pending: false,
  pendingEffects: [],
  counts: { taskRuns: 0, operations: 0, history: 0, events: 0 },
});

/** Rows of which nothing is in memory. */
const fresh = ({ one, two }: Restless) => ({ one: new Rows(one, true), two: new Rows(two, true) });

/** A step that counts itself. */
const count = (rows: Record<'one' | 'two', Rows<WorkflowRow>>, process: 'one' | 'two', id: string) =>
  rows[process].step(id, async (found) => {
    const counts = { ...found.counts, history: found.counts.history + 1 };
    return { changed: true, row: { ...found, version: found.version + 1, counts }, replies: [] };
  });

/** Without the marks of rows that have left. */
const keysOf = async (name: string) =>
  (await server.client().keys(`nodewright:{live}:${name}:*`)).filter((key) => !key.includes(':gone:'));

/** Makes the rows due to rest, or to be recorded by another process, as they are when the process has died. */
const due = (name: string, index: 'idle' | 'unrecorded', id: string) =>
  server.client().zadd(`nodewright:{live}:${name}:${index}`, 'XX', 0, id);

redis.serial('a row that rests is a document only, and is in Redis again for its next step', async (t) => {
  const { record, one, two } = await restless('resting', connections);
  const row = { ...newRow(), pending: false, pendingEffects: [] };
  await one.insert([row]);
  t.is(await restIdle(one), 1);
  t.deepEqual(await keysOf('resting'), []);
  const resting = (await two.get(row.id)) as WorkflowRow;
  t.deepEqual(shown(resting), shown({ ...row, version: row.version + 3 }), 'as it is brought back');
  t.is((await record.get(row.id))?.phase, 'resting');
  const rows = new Rows(two, true);
  const result = await rows.step(row.id, async (found) => ({ changed: true, row: stepped(found), replies: [] }));
  t.true((result?.row.version ?? 0) > resting.version);
  t.deepEqual(shown(await one.get(row.id)), shown(result?.row));
  t.is((await record.get(row.id))?.phase, 'moving');
});

redis.serial('rows that rest are activated together, also by two processes, and each step is saved once', async (t) => {
  const MANY = 300;
  const calls: string[] = [];
  const live = await restless('many', connections, (call) => {
    calls.push(call);
    return undefined;
  });
  const rows = Array.from({ length: MANY }, idleRow);
  await live.one.insert(rows);
  await restIdle(live.one, MANY);
  t.deepEqual(await keysOf('many'), []);
  calls.length = 0;
  const both = fresh(live);
  await Promise.all(rows.flatMap(({ id }) => [count(both, 'one', id), count(both, 'two', id)]));
  const found = await live.one.getAll(rows.map(({ id }) => id));
  t.deepEqual(new Set(found.map(({ counts }) => counts.history)), new Set([2]));
  t.true((await live.record.find({})).every(({ phase }) => phase === 'moving'));
  const ofRecord = calls.filter((call) => ['find', 'get', 'put', 'updateEach'].includes(call));
  t.true(ofRecord.length < MANY / 5, `calls of the record: ${ofRecord.length}`);
});

redis.serial('the step that wakes a row is taken once, after one read and one update of its document', async (t) => {
  const calls: string[] = [];
  const live = await restless('woken', connections, (call) => {
    calls.push(call);
    return undefined;
  });
  const row = idleRow();
  await live.one.insert([row]);
  await restIdle(live.one);
  calls.length = 0;
  let taken = 0;
  const result = await new Rows(live.two, true).step(row.id, async (found) => {
    taken += 1;
    return { changed: true, row: { ...found, version: found.version + 1, status: 'failed' }, replies: [] };
  });
  t.is(taken, 1);
  t.deepEqual(
    calls.filter((call) => ['find', 'get', 'put', 'updateEach'].includes(call)),
    ['find', 'updateEach'],
  );
  t.deepEqual(shown(await live.one.get(row.id)), shown(result?.row));
});

redis.serial('a process that dies after its row is back, and before its document moves, leaves no step', async (t) => {
  let isDying = true;
  const live = await restless('begun', connections, (call, process) =>
    isDying && process === 'one' && call === 'updateEach' ? 'before' : undefined,
  );
  const row = idleRow();
  await live.two.insert([row]);
  await restIdle(live.two);
  await t.throwsAsync(count(fresh(live), 'one', row.id), { instanceOf: Interruption });
  isDying = false;
  t.is((await live.record.get(row.id))?.phase, 'resting');
  t.is((await live.two.get(row.id))?.counts.history, 0);
  await count(fresh(live), 'two', row.id);
  t.is((await live.one.get(row.id))?.counts.history, 1);
  t.is((await live.record.get(row.id))?.phase, 'moving');
});

redis.serial('a process that hung while it woke a row does not bring back an outdated one', async (t) => {
  let calls = 0;
  const live = await restless('hung', connections, async (call, process) => {
    if (process === 'two' || call !== 'allRows') return;
    calls += 1;
    // The first finds that the row rests; this one brings back the document that was read before.
    if (calls !== 2) return;
    await count(fresh(live), 'two', row.id);
    await restIdle(live.two);
    t.is((await live.record.get(row.id))?.phase, 'resting');
  });
  const row = idleRow();
  await live.two.insert([row]);
  await restIdle(live.two);
  await count(fresh(live), 'one', row.id);
  t.true(calls > 2);
  t.is((await live.two.get(row.id))?.counts.history, 2);
  t.is((await live.record.get(row.id))?.phase, 'moving');
});

redis.serial('a row that another process records while it comes to rest is not lost', async (t) => {
  let isFirst = true;
  const live = await restless('recorded', connections, async (call, process) => {
    if (call !== 'put' || process === 'two' || !isFirst) return;
    isFirst = false;
    await live.two.record(await live.two.unrecordedRows());
  });
  const row = idleRow();
  await live.one.insert([row]);
  await restIdle(live.one);
  t.false(isFirst);
  t.deepEqual(await keysOf('recorded'), []);
  t.is((await live.record.get(row.id))?.phase, 'resting');
  await count(fresh(live), 'two', row.id);
  t.is((await live.one.get(row.id))?.counts.history, 1);
});

redis.serial(
  'a row takes no step while it rests in Redis, and its document says that it moves before it does',
  async (t) => {
    let puts = 0;
    const live = await restless('fenced', connections, (call, process) => {
      if (call === 'put' && process === 'one') puts += 1;
      return call === 'put' && process === 'one' && puts === 1 ? 'after' : undefined;
    });
    const row = idleRow();
    await live.one.insert([row]);
    await t.throwsAsync(restIdle(live.one), { instanceOf: Interruption });
    const before = (await live.two.get(row.id)) as WorkflowRow;
    t.deepEqual(await live.two.save([{ before, row: { ...before, version: before.version + 1 } }]), [false]);
    t.is((await live.record.get(row.id))?.phase, 'moving');
    await count(fresh(live), 'two', row.id);
    t.is((await live.one.get(row.id))?.counts.history, 1);
  },
);

const MOVES = ['step', 'other step', 'rest', 'other rest', 'record', 'other record', 'turn'] as const;
type Move = (typeof MOVES)[number];

const moves = fc.array(fc.constantFrom(...MOVES), { minLength: 5, maxLength: 30 });
const interruptions = fc.infiniteStream(
  fc.constantFrom<Moment | undefined>(...Array<undefined>(8).fill(undefined), 'before', 'after'),
);

/** @returns the steps that were answered, and those whose outcome is unknown */
async function moved(t: ExecutionContext, live: Restless, id: string, order: readonly Move[]) {
  const steps = { saved: 0, unknown: 0 };
  const make = async (move: Move) => {
    const process = move.startsWith('other') ? 'two' : 'one';
    if (move.endsWith('step')) await count(fresh(live), process, id);
    else if (move.endsWith('rest')) await restIdle(live[process]);
    else if (move.endsWith('record')) await live[process].record(await live[process].unrecordedRows());
  };
  const all = order.map(async (move, at) => {
    for (let n = 0; n < at % 3; n += 1) await new Promise(setImmediate);
    try {
      await make(move);
      if (move.endsWith('step')) steps.saved += 1;
    } catch (error) {
      if (!(error instanceof Interruption)) t.fail(`${move}: ${error}`);
      if (move.endsWith('step')) steps.unknown += 1;
    }
  });
  await Promise.all(all);
  return steps;
}

let runs = 0;

redis.serial('of steps and rests in any order, every step is saved once', async (t) => {
  await fc.assert(
    fc.asyncProperty(moves, async (order) => {
      runs += 1;
      const live = await restless(`race${runs}`, connections);
      const row = idleRow();
      await live.one.insert([row]);
      const { saved } = await moved(t, live, row.id, order);
      t.is((await live.two.get(row.id))?.counts.history, saved);
      t.is(await live.two.view.count({ id: row.id }), 1);
    }),
    { numRuns: 100 },
  );
});

redis.serial(
  'of steps and rests in any order, of which any call is interrupted before or after its effect, no answered step is lost, and the row comes to rest afterwards',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(moves, interruptions, async (order, stream) => {
        runs += 1;
        const name = `interrupted${runs}`;
        let isOver = true;
        const live = await restless(name, connections, () => (isOver ? undefined : stream.next().value));
        const row = idleRow();
        await live.one.insert([row]);
        isOver = false;
        const { saved, unknown } = await moved(t, live, row.id, order);
        isOver = true;
        const found = (await live.two.get(row.id))?.counts.history ?? -1;
        const about = JSON.stringify({ order, saved, unknown, found, phase: (await live.record.get(row.id))?.phase });
        t.true(found >= saved && found <= saved + unknown, about);
        t.is(await live.two.view.count({ id: row.id }), 1, about);
        await due(name, 'unrecorded', row.id);
        await live.two.record(await live.two.takeUnrecorded(5));
        await due(name, 'idle', row.id);
        await restIdle(live.two);
        t.deepEqual(await keysOf(name), [], about);
        t.like(await live.record.get(row.id), { phase: 'resting', counts: { history: found } }, about);
        await count(fresh(live), 'one', row.id);
        t.is((await live.two.get(row.id))?.counts.history, found + 1, about);
      }),
      { numRuns: 150 },
    );
  },
);

redis.serial(
  'a row that was removed is gone, although its removal is interrupted and repeated, and rests and records of it are late',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(moves, interruptions, fc.nat(20), async (order, stream, at) => {
        runs += 1;
        const name = `removed${runs}`;
        let isOver = true;
        const live = await restless(name, connections, (_, process) =>
          isOver || process === 'two' ? undefined : stream.next().value,
        );
        const row = idleRow();
        await live.one.insert([row]);
        isOver = false;
        const removed = async () => {
          for (let n = 0; n < at; n += 1) await new Promise(setImmediate);
          // As its caller does.
          while (!(await live.one.remove(row.id).then(Boolean.bind(null, true), () => false)));
        };
        const late = order.filter((move) => move === 'other rest' || move === 'other record');
        await Promise.all([moved(t, live, row.id, late), removed()]);
        isOver = true;
        // Late writes of processes that had read the row before, and of one that hung until it was forgotten.
        await live.two.record([row]);
        await live.two.rest([row]);
        await server.client().del(`nodewright:{live}:${name}:gone:${row.id}`);
        await live.two.record([row]);
        t.is(await live.two.get(row.id), undefined);
        t.is(await live.two.view.count({ id: row.id }), 0);
        t.deepEqual(await live.two.view.find({}), []);
        t.deepEqual(await live.two.insertOnce([row]), [false]);
        t.deepEqual(await keysOf(name), []);
      }),
      { numRuns: 100 },
    );
  },
);

redis.serial(
  'a recorder that dies between MongoDB and Redis leaves a change that another process records',
  async (t) => {
    let isDying = false;
    const { record, one, two } = await restless('dying', connections, (call) =>
      isDying && call === 'allRows' ? 'before' : undefined,
    );
    const row = newRow();
    await one.insert([row]);
    isDying = true;
    await t.throwsAsync(one.record([row]), { instanceOf: Interruption });
    isDying = false;
    t.is((await record.get(row.id))?.version, row.version, 'MongoDB had it');
    const next: WorkflowRow = { ...row, version: row.version + 1, status: 'failed' };
    t.deepEqual(await two.save([{ before: row, row: next }]), [true]);
    t.is(await two.view.count({ id: row.id, status: 'failed' }), 1);
    await due('dying', 'unrecorded', row.id);
    await two.record(await two.takeUnrecorded(10));
    t.is((await record.get(row.id))?.status, 'failed');
    t.deepEqual(await two.unrecordedRows(), []);
  },
);

redis.serial('a workflow that rests is not inserted again by a start that is late', async (t) => {
  const { one, two } = await restless('late', connections);
  const row = idleRow();
  await one.insert([row]);
  await restIdle(one);
  t.deepEqual(await two.insert([row]), [false], 'decided before it rested');
  await server.client().del(`nodewright:{live}:late:gone:${row.id}`);
  t.deepEqual(await two.insertOnce([row]), [false], 'repeated by a sweep');
  t.deepEqual(await keysOf('late'), []);
});

redis.serial('an insertion that is taken back leaves the document of the row as it was', async (t) => {
  const { record, one, two } = await restless('withdrawn', connections);
  const row = idleRow();
  await one.insert([row]);
  await restIdle(one);
  const before = await record.get(row.id);
  await server.client().del(`nodewright:{live}:withdrawn:gone:${row.id}`);
  t.deepEqual(await two.insert([row]), [true]);
  await two.withdraw(row);
  t.deepEqual(await record.get(row.id), before);
  t.deepEqual(shown(await one.get(row.id)), shown({ ...row, version: row.version + 3 }));
});

redis.serial('a row that came to rest is not restored from a memory, unless it moves again', async (t) => {
  const live = await restless('restored', connections);
  const rows = new RedisRows({ ...workflowKind, name: 'restored' }, connections[0] as RedisConnections);
  const restored = (row: WorkflowRow) => rows.write('restoreUnlessLeft', [{ row }]);
  const row = idleRow();
  await live.one.insert([row]);
  const last = (await count(fresh(live), 'one', row.id))?.row as WorkflowRow;
  t.deepEqual(await restored(row), [0], 'it is older');
  await restIdle(live.one);
  t.deepEqual(await restored(last), [0]);
  t.deepEqual(await keysOf('restored'), []);
  const moved = (await count(fresh(live), 'two', row.id))?.row as WorkflowRow;
  t.deepEqual(await restored({ ...moved, version: moved.version + 1 }), [1]);
});

redis.serial('a removed row leaves a document for an hour', async (t) => {
  const { record, one } = await restless('purged', connections);
  const row = idleRow();
  await one.insert([row]);
  await one.remove(row.id);
  await one.purge();
  const removed = (await record.get(row.id)) as RecordedRow<WorkflowRow>;
  t.is(removed.phase, 'removed');
  const anHourAgo = new Date(Date.parse(removed.updatedAt) - 3_600_000).toISOString();
  await record.remove({ id: row.id });
  await record.put([{ ...removed, updatedAt: anHourAgo }]);
  await one.purge();
  t.is(await record.get(row.id), undefined);
});

redis.serial(
  'a row that an earlier version left in MongoDB is found by the sweep, and continues in Redis',
  async (t) => {
    const { record, one } = await restless('earlier', connections);
    const row = { ...newRow(), timerAt: 5 };
    await record.insert(row);
    for (const found of [one.leftRows(0), one.dueRows(5)]) {
      const ids: string[] = [];
      for await (const { id } of found) ids.push(id);
      t.deepEqual(ids, [row.id]);
    }
    const result = await new Rows(one, true).step(row.id, async (found) => ({
      changed: true,
      row: stepped(found),
      replies: [],
    }));
    t.deepEqual(shown(await one.get(row.id)), shown(result?.row));
    t.is((await record.get(row.id))?.phase, 'moving');
  },
);
