/** The queue of entries before the store: its room, its waits, and its end. */
import test from 'ava';
import { AuditLog } from '../../../../engine/operations/audit/audit-log.ts';
import { type NewRecord, openAuditStore } from '../../../../engine/operations/audit/audit-store.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { retention } from '../../../../engine/platform/cluster/retention.ts';
import type { ReconcilerPort } from '../../../../engine/platform/lib/reconciler.ts';
import type { Collection, Document, Store } from '../../../../engine/platform/store/port.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const record = (requestId: string) => ({
  user: null,
  tokenId: null,
  address: '127.0.0.1',
  method: 'POST',
  path: '/login',
  target: 'login',
  status: 200,
  requestId,
});

/** A log on a store whose insertions wait for `gate`, and fail while `isAway`. */
async function open() {
  const memory = new MemoryStore();
  const state = { isAway: false, gate: Promise.resolve(), sizes: [] as number[] };
  const store: Pick<Store, 'collection'> = {
    async collection<T extends Document>(spec: Parameters<Store['collection']>[0]) {
      const collection = await memory.collection<T>(spec);
      const insert = async (document: T) => {
        await state.gate;
        if (state.isAway) throw new NodewrightError('UNAVAILABLE', 'the store is away');
        state.sizes.push((document as unknown as { entries: unknown[] }).entries.length);
        await collection.insert(document);
      };
      return new Proxy(collection, {
        get(target, name) {
          const value: unknown = name === 'insert' ? insert : Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }) as Collection<T>;
    },
  };
  const [errors, lost]: [unknown[], NewRecord[]] = [[], []];
  const reports = {
    failed: (error: unknown) => errors.push(error),
    lost: (all: readonly NewRecord[]) => lost.push(...all),
  };
  const log = new AuditLog(await openAuditStore(store), reports);
  const append = (id: string, limitMs = MINUTE_MS) => log.reserve().append(record(id), limitMs);
  const ids = async () => (await log.list(0, 10_000)).map(({ requestId }) => requestId);
  return { state, log, append, ids, errors, lost };
}

test('entries that arrive while a group is written form the next groups, in their order', async (t) => {
  const { state, append, ids } = await open();
  const { promise, resolve } = deferred();
  state.gate = promise;
  const all = Array.from({ length: 251 }, (_, n) => `r${n}`);
  const first = append('r0');
  await Promise.resolve();
  const others = all.slice(1).map((id) => append(id));
  resolve();
  await Promise.all([first, ...others]);
  t.deepEqual(state.sizes, [1, 100, 100, 50]);
  t.deepEqual(await ids(), all);
});

test('an answer waits no longer than its limit for a slow store, and the entry is stored later', async (t) => {
  const { state, append, ids } = await open();
  const { promise, resolve } = deferred();
  state.gate = promise;
  await append('slow', 1);
  t.deepEqual(await ids(), []);
  resolve();
  await append('next');
  t.deepEqual(await ids(), ['slow', 'next']);
});

test('while the store fails no answer waits, the failure is reported once, and nothing is lost', async (t) => {
  const { state, append, ids, errors, log, lost } = await open();
  state.isAway = true;
  for (const id of ['a', 'b', 'c']) await append(id);
  t.is(errors.length, 1);
  state.isAway = false;
  const { promise, resolve } = deferred();
  const look = setInterval(() => void ids().then((all) => all.length === 3 && resolve()), 20);
  await promise;
  clearInterval(look);
  await append('d');
  t.deepEqual(await ids(), ['a', 'b', 'c', 'd']);
  await log.close();
  t.deepEqual([errors.length, lost], [1, []]);
});

test('entries that cannot be stored before the process stops are reported', async (t) => {
  const { state, append, log, lost } = await open();
  state.isAway = true;
  await append('a');
  await append('b');
  await log.close();
  t.deepEqual(
    lost.map(({ requestId }) => requestId),
    ['a', 'b'],
  );
});

test('the room is bounded, also for entries that are not stored yet', async (t) => {
  const { state, append, log } = await open();
  state.isAway = true;
  for (let n = 0; n < 9_999; n += 1) await append(`r${n}`);
  const last = log.reserve();
  t.throws(() => log.reserve(), { instanceOf: NodewrightError, code: 'UNAVAILABLE' });
  last.free();
  t.notThrows(() => log.reserve());
  await log.close();
});

test('retention looks every ten minutes, or more often for a short one; 0 keeps everything', async (t) => {
  const cuts: number[] = [];
  const store = { removeBefore: async (at: string) => void cuts.push(Date.now() - Date.parse(at)) };
  const every: ReconcilerPort<never>['everyMs'][] = [];
  const cluster = singleNodeCluster('x');
  const seen: Pick<typeof cluster, 'reconciler'> = {
    reconciler(port) {
      every.push(port.everyMs);
      void port.pass({ goesOn: async () => true, signal: AbortSignal.abort(), requests: new Set() });
      return cluster.reconciler(port);
    },
  };
  const kept = (days: number) => ({ name: 'audit', days, removeBefore: store.removeBefore, failed: () => {} });
  t.is(retention(seen, kept(0)), undefined);
  for (const days of [365, 0.001, 1e-12]) t.truthy(retention(seen, kept(days)));
  t.deepEqual(every, [600_000, 8_640, 100]);
  for (const [n, expected] of [365 * 86_400_000, 86_400, 1_000].entries()) {
    t.true(Math.abs((cuts[n] as number) - expected) < 10_000);
  }
});
