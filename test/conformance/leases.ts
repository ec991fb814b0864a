/** Rules of leases, wherever their records are: one owner at a time, and none that is dead for long, wherever a process dies. */
import type { ExecutionContext } from 'ava';
import { fieldLease, type LeaseRecord, Leases, ownerOf } from '../../engine/platform/cluster/leases.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../engine/platform/store/port.ts';
import { Life, type Moment } from '../support/faults/dying-store.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

interface Owned extends Document {
  by: string | null;
}

/** Makes a free lease. @returns its record, as a process reaches it */
export type PrepareLease = () => Promise<(life: Life) => Promise<LeaseRecord>>;

const ownedSpec: CollectionSpec = { name: 'leasetest', indexes: {} };
const NAME = 'x';
/** More calls than any use of a lease makes. */
const LEASE_CALLS = 20;

/** Returns the record in a field of a document, which it creates unless it exists. */
export async function fieldOf(store: Store, name: string, life = new Life()): Promise<LeaseRecord> {
  await (await store.collection<Owned>(ownedSpec)).insertMissing([{ id: name, by: null }]);
  return fieldLease(await life.store(store).collection<Owned>(ownedSpec), name);
}

export const fieldOn =
  (open: () => Store): PrepareLease =>
  async () => {
    await (await open().collection<Owned>(ownedSpec)).remove({});
    return (life) => fieldOf(open(), NAME, life);
  };

/** @param kind of the records */
export function leaseConformance(test: Declare, kind: string, prepare: PrepareLease): void {
  /** Processes on one record; those in `dead` are silent and gone. */
  async function services() {
    const recordOf = await prepare();
    const dead = new Set<string>();
    const heard = async (id: string) => !dead.has(id);
    const process = async (id: string, life = new Life()) => {
      const record = await recordOf(life);
      const leases = new Leases(() => record, id, { isHeard: heard, isAlive: heard });
      const owner = async () => ownerOf((await record.holder()) ?? '');
      return { id, record, owner, acquire: () => leases.acquire(NAME), leases };
    };
    return { dead, process };
  }

  test(`${kind}: of many processes that ask at the same time, one gets the lease, again if it asks again`, async (t) => {
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

  test(`${kind}: a released lease is free immediately, and a lease of a living owner is not`, async (t) => {
    const { process } = await services();
    const [a, b] = [await process('a'), await process('b')];
    const lease = await a.acquire();
    t.is(await b.acquire(), undefined);
    t.true(await lease?.renew());
    await lease?.release();
    t.true(lease?.signal.aborted);
    t.not(await b.acquire(), undefined);
    await lease?.release();
    t.is(await b.owner(), 'b', 'a second release takes nothing from the next owner');
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
    t.is(await b.owner(), 'a');
    t.not(await b.leases.acquireOn(b.record, { from: 'gone', recover: recover(true) }), undefined);
    t.is(asked, 2);
  });

  test(`${kind}: wherever its owner dies, the lease is held by one process or none, and is free for the next`, async (t) => {
    let deaths = 0;
    for (const moment of ['before', 'after'] satisfies Moment[]) {
      for (let calls = 0; calls < LEASE_CALLS; calls += 1) {
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
        t.true(['heir', 'other'].includes(await heir.owner()));
        if (!life.isDead) break;
        deaths += 1;
      }
    }
    t.true(deaths >= 8, `${deaths} deaths`);
  });

  test(`${kind}: a late release releases no later lease, of the same process either`, async (t) => {
    const { process } = await services();
    const [a, b] = [await process('a'), await process('b')];
    const first = await a.acquire();
    const second = await a.acquire();
    t.false(await first?.renew());
    await first?.release();
    t.true(await second?.renew());
    t.is(await b.acquire(), undefined);
  });

  test(`${kind}: a lease that its process does not use is released, and one that it uses is not`, async (t) => {
    const { process } = await services();
    const [a, b] = [await process('a'), await process('b')];
    const lease = await a.acquire();
    const held = async () => new Map([[NAME, (await a.record.holder()) as string]]);
    await a.leases.releaseUnused(await held());
    t.true(await lease?.renew());
    // As after a release that failed, or that the server lost.
    await a.record.change((await a.record.holder()) ?? null, 'a earlier');
    t.is(await b.acquire(), undefined);
    await a.leases.releaseUnused(await held());
    t.not(await b.acquire(), undefined);
  });
}

export function fieldConformance(test: Declare, open: () => Store): void {
  test('a document that is gone has no lease, and its owner learns of it', async (t) => {
    const stored: Collection<Owned> = await open().collection<Owned>(ownedSpec);
    const record = await (await fieldOn(open)())(new Life());
    const dead = async () => false;
    const leases = new Leases(() => record, 'a', { isHeard: dead, isAlive: dead });
    const lease = await leases.acquire(NAME);
    await stored.remove({});
    t.false(await lease?.renew());
    t.is(await leases.acquire(NAME), undefined);
    await lease?.release();
    t.is(await stored.count({}), 0);
  });
}
