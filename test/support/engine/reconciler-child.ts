/**
 * A member of a cluster whose reconciler finishes records, and which kills itself with SIGKILL at one of its calls after
 * it got the lease. Prints `member` with its id.
 */
import { setTimeout } from 'node:timers/promises';
import { openCluster } from '../../../engine/platform/cluster/cluster.ts';
import { openRedisCluster } from '../../../engine/platform/cluster/redis-cluster.ts';
import { openRedis } from '../../../engine/platform/queue/redis.ts';
import { openMongoStore } from '../../../engine/platform/store/mongodb.ts';
import { finishing, type LeftRecord, leftSpec } from '../../conformance/reconcilers.ts';
import { Life } from '../faults/dying-store.ts';

const FOREVER_MS = 60_000;

interface MemberSettings {
  id: string;
  url: string;
  redis: string;
  calls: number;
}

const quiet = { info() {}, warn() {} };
const { id, url, redis, calls } = JSON.parse(process.env.MEMBER as string) as MemberSettings;
const store = await openMongoStore(url, quiet);
const life = new Life(async () => {
  process.kill(process.pid, 'SIGKILL');
  await setTimeout(FOREVER_MS);
  throw new Error('not expected');
});
// Only the calls of the pass are counted: heartbeats continue until the end.
const cluster = openCluster(openRedisCluster(await openRedis(redis, quiet)), id, undefined);
await cluster.start(() => {});
console.log('member');
const stored = await life.store(store).collection<LeftRecord>(leftSpec);
life.dieAfter(calls, 'after');
cluster
  .reconciler({ name: 'test', everyMs: 50, pass: finishing(stored), failed: (error) => console.error(error) })
  .start();
