import test from 'ava';
import { workflowKind } from '../../../../engine/durable/live/kinds.ts';
import { RedisRows } from '../../../../engine/durable/live/redis-rows.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import { newRow, shown } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import {
  type InterruptedCall,
  Interruption,
  type Restless,
  restIdle,
  restless,
  startProcesses,
} from '../../../support/engine/live.ts';
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

/** A workflow whose last step is saved, and the change that records that its effects have run. */
async function ended({ one }: Restless) {
  const first = newRow();
  await one.insert([first]);
  const before: WorkflowRow = { ...first, version: first.version + 1, status: 'failed', error: null };
  await one.save([{ before: first, row: before }]);
  const row: WorkflowRow = { ...before, version: before.version + 1, pendingEffects: [], pending: false };
  return { before, row };
}

const keysOf = async (name: string, id: string) =>
  (await server.client().keys(`nodewright:{live}:${name}:*${id}`)).filter((key) => !key.includes(':gone:'));

redis.serial('a workflow that has ended becomes a document, and leaves Redis', async (t) => {
  const live = await restless('settled', connections);
  const change = await ended(live);
  t.deepEqual(await live.one.settle([change]), [true]);
  t.deepEqual(await keysOf('settled', change.row.id), []);
  t.deepEqual(shown(await live.two.get(change.row.id)), shown(change.row));
  t.is((await live.record.get(change.row.id))?.phase, 'resting');
  t.deepEqual(await live.two.settle([change]), [false], 'another process was first');
});

redis.serial('a workflow whose effects two processes have run is settled once', async (t) => {
  let puts = 0;
  const live = await restless('twice', connections, (called, process) => {
    if (process === 'two' && called === 'put') puts += 1;
    return undefined;
  });
  const { before } = await ended(live);
  const [one, two] = [new Rows(live.one, true), new Rows(live.two, true)];
  for (const rows of [one, two]) rows.forgetDone(before.id, before.version);
  const state = { busy: () => false, isOver: () => true };
  // The second one has read the row before the first one settles it.
  await two.readAhead([before.id]);
  await one.tidy(before.id, state);
  await two.tidy(before.id, state);
  t.is(two.doneUpTo(before.id), 0);
  t.true(puts <= 1, `${puts} documents`);
  const { version, phase } = (await live.record.get(before.id)) ?? {};
  t.deepEqual([version, phase], [before.version + 1, 'resting']);
});

redis.serial('a step that was decided before the end does not bring the workflow back into Redis', async (t) => {
  const live = await restless('late', connections);
  const { before, row } = await ended(live);
  const late = { ...before, version: before.version - 1, status: 'running' } as WorkflowRow;
  const rows = new Rows(live.two, true);
  rows.forgetDone(before.id, before.version - 1);
  t.deepEqual(await live.one.settle([{ before, row }]), [true]);
  t.deepEqual(await live.two.save([{ before: late, row: { ...late, version: before.version } }]), [false]);
  await rows.tidy(before.id, { busy: () => false, isOver: () => true });
  t.deepEqual(await keysOf('late', row.id), []);
  t.deepEqual(shown(await live.two.get(row.id)), shown(row));
});

redis.serial('whichever step of settling is interrupted, another process settles the workflow', async (t) => {
  const points: [InterruptedCall, number, Moment][] = [];
  for (const moment of ['before', 'after'] as const) {
    points.push(['put', 1, moment], ['allRows', 1, moment]);
  }
  for (const [at, [call, nth, moment]] of points.entries()) {
    let calls = 0;
    let isArmed = false;
    const name = `settled-${at}`;
    const live = await restless(name, connections, (called, process) => {
      if (!isArmed || process !== 'one' || called !== call) return undefined;
      calls += 1;
      return calls === nth ? moment : undefined;
    });
    const change = await ended(live);
    isArmed = true;
    const settled = live.one.settle([change]);
    if (call === 'put') t.deepEqual(await settled, [true], 'without its document it is saved as others are');
    else await t.throwsAsync(settled, { instanceOf: Interruption });
    isArmed = false;
    const found = (await live.two.get(change.row.id)) as WorkflowRow;
    if (found.pending) t.deepEqual(await live.two.settle([{ ...change, before: found }]), [true]);
    t.deepEqual(shown(await live.one.get(change.row.id)), shown(change.row), `${call} ${nth} ${moment}`);
  }
});

redis.serial('rows that go on are saved, beside others that have ended', async (t) => {
  const live = await restless('mixed', connections);
  const change = await ended(live);
  const going = newRow();
  await live.one.insert([going]);
  const tidied: WorkflowRow = { ...going, version: going.version + 1, pendingEffects: [] };
  const outdated = { before: { ...change.before, version: 99 }, row: { ...tidied, version: 100 } };
  t.deepEqual(await live.one.settle([{ before: going, row: tidied }, outdated, change]), [true, false, true]);
  t.is((await keysOf('mixed', going.id)).length, 2);
});

redis.serial('a row is the same after each of many steps, whole or as deltas', async (t) => {
  const rows = new RedisRows(workflowKind, connections[0] as RedisConnections);
  let before = newRow();
  await rows.write('insert', [{ row: before }]);
  for (let version = 2; version < 40; version += 1) {
    const row = { ...before, version, counts: { ...before.counts, history: version }, output: { [version]: version } };
    t.deepEqual(await rows.write('save', [{ before, row }]), [1]);
    const [read] = await rows.getAll([row.id]);
    t.deepEqual(shown(read), shown(row));
    before = row;
  }
  const fields = await server.client().hkeys(`nodewright:{live}:workflow:row:${before.id}`);
  t.true(fields.filter((name) => name.startsWith('d')).length < 16);
});

redis.serial('a row that is removed while another process brings it back is seen by none', async (t) => {
  const seen: unknown[] = [];
  let isArmed = false;
  const live: Restless = await restless('removed', connections, async (call, process) => {
    if (!isArmed || process !== 'two') return undefined;
    if (call === 'allRows') {
      isArmed = false;
      await live.one.remove(row.id);
      isArmed = true;
    }
    // The row is brought back before its document is compared.
    seen.push(await live.one.get(row.id));
    return undefined;
  });
  const row: WorkflowRow = { ...newRow(), pending: false, pendingEffects: [] };
  await live.one.insert([row]);
  await restIdle(live.one);
  const before = (await live.two.get(row.id)) as WorkflowRow;
  isArmed = true;
  t.deepEqual(await live.two.save([{ before, row: { ...before, version: before.version + 1 } }]), [false]);
  isArmed = false;
  t.deepEqual([...new Set(seen)], [undefined]);
  t.deepEqual(await keysOf('removed', row.id), []);
});
