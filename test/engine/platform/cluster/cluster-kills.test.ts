/** Members of a cluster that are killed with SIGKILL while they hold the lease of a reconciler. */
import { setTimeout } from 'node:timers/promises';
import { ownerOf } from '../../../../engine/platform/cluster/leases.ts';
import { openMongoStore } from '../../../../engine/platform/store/mongodb.ts';
import { finishing, type LeftRecord, leftSpec } from '../../../conformance/reconcilers.ts';
import { needing } from '../../../support/ava/needs.ts';
import { join, storedLeases } from '../../../support/engine/redis-cluster.ts';
import { startChild } from '../../../support/faults/child.ts';
import { noMongoDb, openMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const test = needing(noRedis ?? noMongoDb, 'mongodb');
const RECORDS = 4;
/** Calls of a pass: one to find the records, one for each. */
const KILLS = [0, 1, 3];

test.serial(
  'a member takes the lease over from one that was killed in a pass, and finishes each record once',
  async (t) => {
    const mongodb = await openMongoDb();
    t.teardown(() => mongodb.stop());
    const redis = await startRedis();
    t.teardown(() => redis.stop());
    const client = redis.client();
    const store = await openMongoStore(mongodb.url, { info() {}, warn() {} });
    t.teardown(() => store.close());
    const records = await store.collection<LeftRecord>(leftSpec);
    for (const calls of KILLS) {
      await records.remove({});
      await records.insertMissing(Array.from({ length: RECORDS }, (_, n) => ({ id: `r${n}`, left: true, done: 0 })));
      const id = `killed-${calls}`;
      const child = startChild("await import('./test/support/engine/reconciler-child.ts')", {
        MEMBER: JSON.stringify({ id, url: mongodb.url, redis: redis.url, calls }),
      });
      t.teardown(() => child.kill('SIGKILL'));
      t.is(await child.line(), 'member');
      await child.ended;
      t.deepEqual(
        Object.entries(await storedLeases(client)).map(([name, holder]) => [name, ownerOf(holder)]),
        [['test', id]],
      );
      t.is(await records.count({ done: 1 }), calls);
      const { cluster, close } = await join(t, redis.url, `heir-${calls}`);
      const reconciler = cluster.reconciler({
        name: 'test',
        everyMs: 50,
        pass: finishing(records),
        failed: (error) => t.fail(String(error)),
      });
      reconciler.start();
      while ((await records.count({ left: true })) > 0) await setTimeout(50);
      t.is(await records.count({ done: 1 }), RECORDS);
      await reconciler.close();
      t.deepEqual(await storedLeases(client), {});
      await close();
    }
  },
);
