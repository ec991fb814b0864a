/**
 * Rules of reconcilers on every store: all records that are left are found, by one process at a time, wherever it dies.
 */
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { Leases } from '../../engine/platform/cluster/leases.ts';
import { Reconciler, type Round } from '../../engine/platform/lib/reconciler.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../engine/platform/store/port.ts';
import { deferred } from '../support/ava/deferred.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { OwnScope, type Scope } from '../support/ava/scope.ts';
import { Life, type Moment } from '../support/faults/dying-store.ts';
import { fieldOn, type PrepareLease } from './leases.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

export interface LeftRecord extends Document {
  left: boolean;
  done: number;
}

export const leftSpec: CollectionSpec = { name: 'reconcilertest', indexes: { left: 'boolean' } };
const EVERY_MS = 5;
const RECORDS = 3;
const PASS_CALLS = 40;

/** A pass that finishes the records which are `left`, and counts how often each was. */
export const finishing =
  (stored: Collection<LeftRecord>) =>
  async ({ goesOn }: Pick<Round<never>, 'goesOn'>): Promise<void> => {
    for (const { id } of await stored.find({ left: true })) {
      if (!(await goesOn())) return;
      await stored.update({ id, left: true }, { $set: { left: false }, $inc: { done: 1 } });
    }
  };

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const limit = Date.now() + WAIT_MS; !(await holds()); await setTimeout(EVERY_MS)) {
    if (Date.now() > limit) throw new Error('timed out waiting for the condition');
  }
}

export function reconcilerConformance(test: Declare, open: () => Store, prepare: PrepareLease = fieldOn(open)): void {
  /** Processes that finish records which are `left`, under one lease. */
  async function services() {
    const store = open();
    const records = await store.collection<LeftRecord>(leftSpec);
    await records.remove({});
    const recordOf = await prepare();
    const dead = new Set<string>();
    const running = new Set<string>();
    const overlaps: string[][] = [];
    const process = async (t: Scope, id: string, life = new Life()) => {
      const own = life.store(store);
      const stored = await own.collection<LeftRecord>(leftSpec);
      const record = await recordOf(life);
      const heard = async (other: string) => !dead.has(other);
      const leases = new Leases(() => record, id, { isHeard: heard, isAlive: heard });
      const finish = finishing(stored);
      const errors: unknown[] = [];
      const reconciler = new Reconciler<'soon'>({
        name: 'test',
        everyMs: EVERY_MS,
        acquire: () => leases.acquire('test'),
        failed: (error) => errors.push(error),
        async pass(round) {
          running.add(id);
          if (running.size > 1) overlaps.push([...running]);
          await finish(round).finally(() => running.delete(id));
        },
      });
      t.teardown(() => reconciler.close());
      return { id, reconciler, errors };
    };
    const leave = () =>
      records.insertMissing(Array.from({ length: RECORDS }, (_, n) => ({ id: `r${n}`, left: true, done: 0 })));
    const finished = async () => (await records.count({ left: true })) === 0;
    return { records, dead, overlaps, process, leave, finished };
  }

  test('of several processes one makes the passes, and finds what is left', async (t) => {
    const { records, overlaps, process, leave, finished } = await services();
    const scope = new OwnScope();
    const all = await Promise.all(['a', 'b', 'c'].map((id) => process(scope, id)));
    for (const { reconciler } of all) reconciler.start();
    await leave();
    await until(finished);
    t.is(await records.count({ done: 1 }), RECORDS);
    t.deepEqual(overlaps, []);
    await scope.close();
  });

  test('wherever the process dies, another one finishes what is left, and each record once', async (t) => {
    let deaths = 0;
    for (const moment of ['before', 'after'] satisfies Moment[]) {
      for (let calls = 0; calls < PASS_CALLS; calls += 1) {
        const { records, dead, process, leave, finished } = await services();
        const scope = new OwnScope();
        await leave();
        const life = new Life();
        const dying = await process(scope, 'dying', life);
        life.dieAfter(calls, moment);
        dying.reconciler.start();
        await until(async () => life.isDead || (await finished()));
        const hasDied = life.isDead;
        await dying.reconciler.close();
        dead.add('dying');
        const heir = await process(scope, 'heir');
        heir.reconciler.start();
        await until(finished);
        t.is(await records.count({ done: 1 }), RECORDS, `${moment} call ${calls}`);
        t.deepEqual(heir.errors, []);
        await scope.close();
        if (!hasDied) break;
        deaths += 1;
      }
    }
    t.true(deaths >= 10, `${deaths} deaths`);
  });

  test('a closed reconciler has released its lease: the next process begins immediately', async (t) => {
    const { process, leave, finished } = await services();
    const scope = new OwnScope();
    const [a, b] = [await process(scope, 'a'), await process(scope, 'b')];
    a.reconciler.start();
    await a.reconciler.request('soon');
    b.reconciler.start();
    await b.reconciler.request('soon');
    await a.reconciler.close();
    await leave();
    await until(finished);
    t.pass();
    await scope.close();
  });

  test('a pass that loses its lease ends before its next record', async (t) => {
    const { dead, process, leave, records, finished } = await services();
    const scope = new OwnScope();
    await leave();
    const [reached, goOn] = [deferred(), deferred()];
    const update = records.update.bind(records);
    let first = true;
    Object.assign(records, {
      update: async (...args: Parameters<typeof update>) => {
        if (first) {
          first = false;
          reached.resolve();
          await goOn.promise;
        }
        return update(...args);
      },
    });
    const stuck = await process(scope, 'stuck');
    stuck.reconciler.start();
    await reached.promise;
    dead.add('stuck');
    const heir = await process(scope, 'heir');
    heir.reconciler.start();
    await until(finished);
    goOn.resolve();
    await stuck.reconciler.close();
    t.is(await records.count({ done: 1 }), RECORDS);
    Object.assign(records, { update });
    await scope.close();
  });
}
