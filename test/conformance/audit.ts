/** Rules of the audit log on every store: one unbroken chain, whichever processes append, die, or remove old entries. */
import type { ExecutionContext } from 'ava';
import type { AuditEntry, AuditRecord } from '../../engine/api-port/index.ts';
import { AuditLog } from '../../engine/operations/audit/audit-log.ts';
import { anchorSpec, auditSpec, openAuditStore } from '../../engine/operations/audit/audit-store.ts';
import type { Document, Store } from '../../engine/platform/store/port.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { Life, type Moment } from '../support/faults/dying-store.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

const AUDIT_CALLS = 30;
const FUTURE = '9999-01-01T00:00:00.000Z';

const record = (requestId: string): AuditRecord => ({
  user: 'eve',
  tokenId: null,
  address: '127.0.0.1',
  method: 'POST',
  path: '/api/current/nodes?name=ö',
  target: 'nodes',
  status: 201,
  requestId,
});

const append = (log: AuditLog, requestId: string) => log.reserve().append(record(requestId), WAIT_MS);
const goesOn = async () => true;

async function process(store: Store) {
  const stored = await openAuditStore(store);
  const errors: unknown[] = [];
  const log = new AuditLog(stored, { failed: (error) => errors.push(error), lost: () => {} });
  return { stored, log, errors };
}

interface StoredGroup extends Document {
  entries: AuditEntry[];
}

export function auditConformance(test: Declare, open: () => Store): void {
  async function empty(): Promise<Store> {
    const store = open();
    for (const spec of [auditSpec, anchorSpec]) await (await store.collection(spec)).remove({});
    return store;
  }

  /** All entries, which have to be one chain from 1 on without gaps. */
  async function unbroken(t: ExecutionContext, store: Store, message = ''): Promise<AuditEntry[]> {
    const { log } = await process(store);
    const entries = await log.list(0, 10_000);
    const first = entries[0]?.seq ?? 1;
    t.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, at) => first + at),
      message,
    );
    t.deepEqual(await log.verify(), { ok: true, checked: entries.length, brokenAt: null }, message);
    return entries;
  }

  test('several processes append one chain concurrently, and each entry once', async (t) => {
    const store = await empty();
    const all = await Promise.all([1, 2, 3].map(() => process(store)));
    const ids = Array.from({ length: 300 }, (_, n) => `r${n}`);
    await Promise.all(ids.map((id, n) => append((all[n % 3] as { log: AuditLog }).log, id)));
    const entries = await unbroken(t, store);
    t.deepEqual(entries.map(({ requestId }) => requestId).sort(), ids.sort());
    t.deepEqual(
      all.flatMap(({ errors }) => errors),
      [],
    );
  });

  test('a process follows the entries of others by their ids, without a search for the newest one', async (t) => {
    const store = await empty();
    const [one, other] = [await process(store), await process(store)];
    await append(one.log, 'one 0');
    await append(other.log, 'other 0');
    let searches = 0;
    const groups = await store.collection(auditSpec);
    const find = groups.find.bind(groups);
    groups.find = (filter, options) => {
      if (options?.sort !== undefined) searches += 1;
      return find(filter, options);
    };
    for (let n = 1; n <= 10; n += 1) {
      await append(one.log, `one ${n}`);
      await append(other.log, `other ${n}`);
      if (n % 3 === 0) await append(other.log, `other again ${n}`);
    }
    t.is(searches, 0);
    t.is((await unbroken(t, store)).length, 25);
  });

  test('a group beside the chain, which the anchor covers, is never followed', async (t) => {
    const store = await empty();
    const [one, other, third] = [await process(store), await process(store), await process(store)];
    for (const { log } of [one, third]) await append(log, 'seen');
    await append(one.log, 'seen by one');
    for (const id of ['c', 'd', 'e', 'f']) await append(other.log, id);
    await other.stored.removeBefore(FUTURE, goesOn);
    // Each continues after what it saw: the first leaves a group of several entries beside the chain.
    await Promise.all(['g', 'h', 'i', 'j', 'k'].map((id) => append(one.log, id)));
    await append(third.log, 'l');
    await append(other.log, 'm');
    t.is((await unbroken(t, store)).length, 7);
  });

  test('pages follow each other without gaps, also within a group', async (t) => {
    const store = await empty();
    const { log } = await process(store);
    await Promise.all(Array.from({ length: 250 }, (_, n) => append(log, `r${n}`)));
    const seen: number[] = [];
    for (let page = await log.list(0, 70); page.length > 0; page = await log.list(seen.at(-1) ?? 0, 70)) {
      seen.push(...page.map(({ seq }) => seq));
    }
    t.deepEqual(
      seen,
      Array.from({ length: 250 }, (_, n) => n + 1),
    );
    t.deepEqual(await log.list(250, 10), []);
    t.deepEqual(await log.list(1_000_000, 10), []);
  });

  for (const moment of ['before', 'after'] as const satisfies Moment[]) {
    test(`a process that dies ${moment} any of its calls leaves an unbroken chain, which others continue`, async (t) => {
      const store = await empty();
      let deaths = 0;
      for (let calls = 0; calls < AUDIT_CALLS; calls += 1) {
        const life = new Life();
        const victim = await process(life.store(store));
        life.dieAfter(calls, moment);
        const own = [`v${calls}a`, `v${calls}b`];
        // Two groups; a dead process does not wait for its entries.
        for (const id of own) await append(victim.log, id);
        const closed = victim.log.close();
        await append((await process(store)).log, `h${calls}`);
        await closed;
        deaths += life.isDead ? 1 : 0;
        const ids = (await unbroken(t, store, `${calls}`)).map(({ requestId }) => requestId);
        t.is(new Set(ids).size, ids.length, `${calls}: no entry twice`);
        if (!life.isDead)
          t.deepEqual(
            own.filter((id) => !ids.includes(id)),
            [],
            `${calls}`,
          );
        if (!life.isDead) break;
      }
      t.true(deaths > 3);
    });
  }

  test('an entry whose write has an unknown outcome is appended once', async (t) => {
    const store = await empty();
    for (const moment of ['before', 'after'] as const) {
      for (let calls = 0; calls < 6; calls += 1) {
        let failing = calls;
        const flaky = Object.create(store, {
          collection: {
            value: async (spec: Parameters<Store['collection']>[0]) =>
              new Proxy(await store.collection(spec), {
                get: (target, name) => {
                  const method: unknown = Reflect.get(target, name);
                  if (typeof method !== 'function') return method;
                  return async (...given: unknown[]) => {
                    failing -= 1;
                    if (failing !== -1) return method.apply(target, given);
                    if (moment === 'after') await method.apply(target, given);
                    throw new Error('no answer');
                  };
                },
              }),
          },
        }) as Store;
        const { log } = await process(flaky);
        await append(log, `${moment}${calls}a`);
        await append(log, `${moment}${calls}b`);
        await log.close();
      }
    }
    const ids = (await unbroken(t, store)).map(({ requestId }) => requestId);
    t.is(ids.length, 24);
    t.is(new Set(ids).size, 24);
  });

  test('a tidied chain still verifies and continues, also for a process that saw it long before', async (t) => {
    const store = await empty();
    const [one, other] = [await process(store), await process(store)];
    for (const id of ['a', 'b']) await append(one.log, id);
    for (const id of ['c', 'd', 'e']) await append(other.log, id);
    const [last] = (await one.log.list(4, 1)) as [AuditEntry];
    await other.stored.removeBefore(FUTURE, goesOn);
    t.deepEqual(await other.log.list(0, 10), []);
    t.deepEqual(await other.log.verify(), { ok: true, checked: 0, brokenAt: null });
    // It continues after `b`, whose next ids are free again.
    await append(one.log, 'f');
    await append(other.log, 'g');
    const entries = await unbroken(t, store);
    t.deepEqual(
      entries.map(({ seq, requestId }) => [seq, requestId]),
      [
        [6, 'f'],
        [7, 'g'],
      ],
    );
    t.is(entries[0]?.previous, last.hash);
    await one.stored.removeBefore(entries[1]?.at ?? '', async () => false);
    t.is((await unbroken(t, store)).length, 2, 'not by a process that has lost its lease');
  });

  test('wherever the process dies that removes old entries, the rest is an unbroken chain', async (t) => {
    for (const moment of ['before', 'after'] as const satisfies Moment[]) {
      for (let calls = 0; calls < AUDIT_CALLS; calls += 1) {
        const store = await empty();
        const { log } = await process(store);
        for (const id of ['a', 'b', 'c']) await append(log, id);
        const life = new Life();
        const { stored } = await process(life.store(store));
        life.dieAfter(calls, moment);
        await stored.removeBefore(FUTURE, goesOn).catch(() => {});
        await append(log, 'd');
        const entries = await unbroken(t, store, `${moment} ${calls}`);
        t.is(entries.at(-1)?.seq, 4);
        if (!life.isDead) break;
      }
    }
  });

  test('every kind of tampering with the stored entries is found, with its place', async (t) => {
    const store = await empty();
    const { log, stored } = await process(store);
    for (let n = 1; n <= 6; n += 1) await append(log, `r${n}`);
    await stored.removeBefore((await log.list(0, 1))[0]?.at ?? '', goesOn);
    const groups = await store.collection<StoredGroup>(auditSpec);
    const all = await groups.find({});
    const entry = (n: number) => structuredClone(all[n]?.entries[0] as AuditEntry);
    const put = (n: number, entries: unknown) => groups.update({ id: all[n]?.id }, { $set: { entries } });
    const first = entry(0).seq;
    const changes: [string, () => Promise<unknown>][] = [
      ['a changed field', () => put(2, [{ ...entry(2), user: 'adam' }])],
      ['an added field', () => put(2, [{ ...entry(2), acknowledged: ['wipe'] }])],
      ['a removed entry', () => groups.remove({ id: all[2]?.id })],
      ['an inserted entry', () => put(1, [entry(1), { ...entry(1), seq: first + 2 }])],
      ['another order', async () => [await put(2, [entry(3)]), await put(3, [entry(2)])]],
      ['another number', () => put(2, [{ ...entry(2), seq: 1 }])],
      ['no entry', () => put(2, [])],
      ['no list', () => put(2, null)],
      ['no object', () => put(2, [null])],
      ['a hash that fits', () => put(2, [{ ...entry(2), status: 200, hash: entry(3).previous }])],
    ];
    t.true((await log.verify()).ok);
    for (const [name, change] of changes) {
      await change();
      t.deepEqual(await log.verify(), { ok: false, checked: 2, brokenAt: first + 2 }, name);
      await groups.remove({});
      await groups.insertMissing(all);
      t.true((await log.verify()).ok);
    }
    await groups.remove({ id: all[0]?.id });
    t.like(await log.verify(), { ok: false, brokenAt: first }, 'the oldest entry');
  });
}
