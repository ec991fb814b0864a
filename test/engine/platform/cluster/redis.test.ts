import test from 'ava';
import { clusterScripts, LEASES, redisLeases } from '../../../../engine/platform/cluster/redis-cluster.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import { leaseConformance, type PrepareLease } from '../../../conformance/leases.ts';
import { reconcilerConformance } from '../../../conformance/reconcilers.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { needing } from '../../../support/ava/needs.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { connectedTo } from '../../../support/engine/redis-cluster.ts';
import { Life } from '../../../support/faults/dying-store.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const declare = needing(noRedis).serial;
const scope = fileScope();
const memory = new MemoryStore();
let connections: RedisConnections;

if (!noRedis) {
  test.before(async () => {
    const server = await startRedis();
    scope.teardown(() => server.stop());
    connections = await connectedTo(scope, server.url);
  });
}

/** A process dies at its calls of scripts. */
const prepare: PrepareLease = async () => {
  await connections.commands.del(LEASES);
  const own = clusterScripts(connections, connections.commands);
  return async (life) => redisLeases({ run: (calls) => life.call(() => own.run(calls)) })('x');
};

leaseConformance(declare, 'a lease in Redis', prepare);
reconcilerConformance(declare, () => memory, prepare);

declare('a released lease leaves nothing in Redis, and a repeated change is answered like the first', async (t) => {
  const record = await (await prepare())(new Life());
  t.true(await record.change(null, 'a 1'));
  t.true(await record.change(null, 'a 1'), 'as after a lost answer');
  t.false(await record.change(null, 'a 2'));
  t.true(await record.change('a 1', null));
  t.is(await connections.commands.exists(LEASES), 0);
});
