/** Rules of leases on every store: one owner at a time, and none that is dead for long, wherever a process dies. */
import type { ExecutionContext } from 'ava';
import {
  fieldLease,
  type LeaseRecord,
  Leases,
  leaseSpec,
  type StoredLease,
  storedLeases,
} from '../../engine/cluster/leases.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../engine/store/port.ts';
import { Life, type Moment } from '../support/dying-store.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

interface Owned extends Document {
  by: string | null;
}

const ownedSpec: CollectionSpec = { name: 'leasetest', indexes: {} };
const NAME = 'x';
/** More calls than any use of a lease makes. */
const CALLS = 20;

/** The kinds of records, each with a free lease. */
const records: Record<string, (store: Store) => Promise<(life: Life) => Promise<LeaseRecord>>> = {
  'a record of its own': async (store) => {
    await (await store.collection<StoredLease>(leaseSpec)).remove({});
    return async (life) => storedLeases(await life.store(store).collection<StoredLease>(leaseSpec))(NAME);
  },
  'a released record of an earlier version': async (store) => {
    const stored = await store.collection<StoredLease>(leaseSpec);
    await stored.remove({});
    await stored.insert({ id: NAME, version: 3, by: null });
    return async (life) => storedLeases(await life.store(store).collection<StoredLease>(leaseSpec))(NAME);
  },
  'a field of a document': async (store) => {
    const stored = await store.collection<Owned>(ownedSpec);
    await stored.remove({});
    await stored.insert({ id: NAME, by: null });
    return async (life) => fieldLease(await life.store(store).collection<Owned>(ownedSpec), NAME);
  },
};

export function leaseConformance(test: Declare, open: () => Store): void {
  for (const [kind, prepare] of Object.entries(records)) {
    /** Processes on one record; those in `dead` are silent and gone. */
    async function services() {
      const recordOf = await prepare(open());
      const dead = new Set<string>();
      const others = { heard: (id: string) => !dead.has(id), alive: async (id: string) => !dead.has(id) };
      const process = async (id: string, life = new Life()) => {
        const record = await recordOf(life);
        const leases = new Leases(() => record, id, others);
        return { id, record, acquire: () => leases.acquire(NAME), leases };
      };
      return { dead, process };
    }

    test(`${kind}: of many processes that ask at once, one gets the lease, again if it asks again`, async (t) => {
      const { process } = await services();
      const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => process(id)));
      const first = await Promise.all(all.map((one) => one.acquire()));
      t.is(first.filter(Boolean).length, 1);
      const second = await Promise.all(all.map((one) => one.acquire()));
      t.deepEqual(
        second.map((lease) => lease !== undefined),
        first.map((lease) => lease !== undefined),
      );
    });

    test(`${kind}: a released lease is free at once, and a lease of a living owner is not`, async (t) => {
      const { process } = await services();
      const [a, b] = [await process('a'), await process('b')];
      const lease = await a.acquire();
      t.is(await b.acquire(), undefined);
      t.true(await lease?.renew());
      await lease?.release();
      t.true(lease?.signal.aborted);
      t.not(await b.acquire(), undefined);
      await lease?.release();
      t.is(await b.record.owner(), 'b', 'a second release takes nothing from the next owner');
    });

    test(`${kind}: a dead owner loses its lease to one process, and learns of it when it renews the lease`, async (t) => {
      const { dead, process } = await services();
      const [a, b, c] = [await process('a'), await process('b'), await process('c')];
      const lost = await a.acquire();
      dead.add('a');
      const got = await Promise.all([b.acquire(), c.acquire()]);
      t.is(got.filter(Boolean).length, 1);
      t.false(lost?.signal.aborted);
      t.false(await lost?.renew());
      t.true(lost?.signal.aborted);
      dead.delete('a');
      t.is(await a.acquire(), undefined);
    });

    test(`${kind}: a takeover asks how far the dead owner got, and may be declined`, async (t) => {
      const { dead, process } = await services();
      const [a, b] = [await process('a'), await process('b')];
      await a.acquire();
      let asked = 0;
      const recover = (answer: boolean) => async () => {
        asked += 1;
        return answer;
      };
      t.is(await b.leases.acquireOn(b.record, { from: 'gone', recover: recover(false) }), undefined);
      t.is(asked, 0, 'the owner is alive');
      dead.add('a');
      t.is(await b.leases.acquireOn(b.record, { from: 'gone', recover: recover(false) }), undefined);
      t.is(await b.record.owner(), 'a');
      t.not(await b.leases.acquireOn(b.record, { from: 'gone', recover: recover(true) }), undefined);
      t.is(asked, 2);
    });

    test(`${kind}: wherever its owner dies, the lease is held by one process or none, and is free for the next`, async (t) => {
      let deaths = 0;
      for (const moment of ['before', 'after'] satisfies Moment[]) {
        for (let calls = 0; calls < CALLS; calls += 1) {
          const { dead, process } = await services();
          const life = new Life();
          const [dying, heir, other] = [await process('dying', life), await process('heir'), await process('other')];
          life.dieAfter(calls, moment);
          const use = async () => {
            const lease = await dying.acquire();
            await lease?.renew();
            await lease?.release();
          };
          await use().catch(() => {});
          dead.add('dying');
          const held = await Promise.all([heir.acquire(), other.acquire()]);
          t.is(held.filter(Boolean).length, 1, `${moment} call ${calls}`);
          t.true(['heir', 'other'].includes((await heir.record.owner()) ?? ''));
          if (!life.isDead) break;
          deaths += 1;
        }
      }
      t.true(deaths >= 8, `${deaths} deaths`);
    });
  }

  test('a document that is gone has no lease, and its owner learns of it', async (t) => {
    const store = open();
    const stored: Collection<Owned> = await store.collection<Owned>(ownedSpec);
    await stored.remove({});
    await stored.insert({ id: NAME, by: null });
    const leases = new Leases(() => fieldLease(stored, NAME), 'a', { heard: () => false, alive: async () => false });
    const lease = await leases.acquire(NAME);
    await stored.remove({});
    t.false(await lease?.renew());
    t.is(await leases.acquire(NAME), undefined);
    await lease?.release();
    t.is(await stored.count({}), 0);
  });

  test('released leases leave no documents', async (t) => {
    const stored = await open().collection<StoredLease>(leaseSpec);
    await stored.remove({});
    const leases = new Leases(storedLeases(stored), 'a', { heard: () => false, alive: async () => false });
    for (let n = 0; n < 20; n += 1) await (await leases.acquire(`lease ${n}`))?.release();
    t.is(await stored.count({}), 0);
  });
}
