/** Members of a cluster on a Redis of the test. */
import { type Cluster, openCluster } from '../../../engine/platform/cluster/cluster.ts';
import { LEASES, MEMBERS, openRedisCluster } from '../../../engine/platform/cluster/redis-cluster.ts';
import { openRedis } from '../../../engine/platform/queue/redis.ts';
import type { RedisConnections } from '../../../engine/platform/redis/redis-connections.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from '../servers/hearing.ts';

const quiet = { info() {}, warn() {} };

export async function connectedTo(t: Scope, url: string): Promise<RedisConnections> {
  const connections = await openRedis(url, quiet);
  t.teardown(() => connections.close());
  return connections;
}

export interface Member {
  cluster: Cluster;
  /** The others that it found silent. */
  silent: Hearing<string>;
  close(): Promise<void>;
}

export async function join(t: Scope, url: string, id: string, previousInstance?: string): Promise<Member> {
  const cluster = openCluster(openRedisCluster(await connectedTo(t, url)), id, previousInstance);
  const silent = new Hearing<string>();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= cluster.close();
    return closed;
  };
  t.teardown(close);
  await cluster.start((other) => silent.add(other));
  return { cluster, silent, close };
}

type Client = RedisConnections['commands'];

/** A process that was a member and sends no more heartbeats. */
export const leaveDead = (client: Client, id: string) => client.hset(MEMBERS, id, 7);

/** Makes Redis one that has known all members for long. */
export const makeOld = (client: Client) => client.hset(MEMBERS, '!began', 1);

export const storedLeases = (client: Client) => client.hgetall(LEASES);

/** Makes the process the owner of the lease, although it does not use it. */
export const storeLease = (client: Client, name: string, owner: string) =>
  client.hset(LEASES, name, `${owner} of an earlier lease`);
