/** A Redis with a replica, behind a proxy that leads to the one of both that is the primary. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../ava/scope.ts';
import { startProxy } from './proxy.ts';
import { type RedisServer, startRedis } from './redis.ts';

export interface ReplicatedRedis {
  /** URL of the proxy. */
  readonly url: string;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Kills the primary. The replica takes its place. */
  failOver(): Promise<void>;
  /** Makes the replica a primary, and the primary its replica, while both run. */
  switchOver(): Promise<void>;
  /** Starts the former primary as the replica of the new one. Resolves when it has all. */
  rejoin(): Promise<void>;
  /** Closes the connections of the proxy. */
  cut(): void;
  /** The replica receives nothing more, and may still be promoted. */
  stopReplication(): Promise<void>;
}

export async function startReplicatedRedis(t: Scope): Promise<ReplicatedRedis> {
  const servers = await Promise.all([startRedis(), startRedis()]);
  for (const server of servers) t.teardown(() => server.stop());
  let [primary, replica] = servers as [RedisServer, RedisServer];
  const proxy = await startProxy(primary.port);
  t.teardown(() => proxy.stop());
  const join = async () => {
    await replica.client().replicaof('127.0.0.1', primary.port);
    await linked(primary, replica);
  };
  const promote = async () => {
    await replica.client().replicaof('NO', 'ONE');
    [primary, replica] = [replica, primary];
  };
  await join();
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    get primary() {
      return primary;
    },
    get replica() {
      return replica;
    },
    async failOver() {
      await primary.kill();
      await promote();
      proxy.retarget(primary.port);
    },
    async switchOver() {
      await promote();
      await join();
      proxy.lead(primary.port);
    },
    async rejoin() {
      await replica.start();
      await join();
    },
    cut: () => proxy.cut(),
    async stopReplication() {
      await replica.client().replicaof('NO', 'ONE');
    },
  };
}

/** Resolves when the replica has what the primary has. */
async function linked(primary: RedisServer, replica: RedisServer): Promise<void> {
  const client = replica.client();
  while (!/^master_link_status:up/m.test(await client.info('replication'))) await pause(20);
  await primary.client().wait(1, 10_000);
}
