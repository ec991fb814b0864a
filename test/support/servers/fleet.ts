/** Daemons on one private Redis, one MongoDB and, on request, one RabbitMQ. */
import { MongoClient } from 'mongodb';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import type { Scope } from '../ava/scope.ts';
import { folders } from '../engine/definition-folders.ts';
import { type DaemonProcess, startDaemonProcess } from './daemon.ts';
import { noPrivateMongoDb, type PrivateMongoDb, startMongoDb } from './mongodb.ts';
import { startProxy, type Proxy as TcpProxy } from './proxy.ts';
import { noRabbitMq, type RabbitMq, startRabbitMq } from './rabbitmq.ts';
import { noRedis, type RedisServer, startRedis } from './redis.ts';

export const noFleet = noRedis ?? noRabbitMq ?? noPrivateMongoDb;

export interface Servers {
  redis: RedisServer;
  mongodb: PrivateMongoDb;
  rabbitmq: RabbitMq;
}

type Names = keyof Servers;

export interface Fleet extends Servers {
  daemons: DaemonProcess[];
  /** Proxies between the daemons and each server, if requested. */
  proxies: Record<Names, TcpProxy> | undefined;
  /** Returns the number of unpublished events in the store. */
  waiting(): Promise<number>;
}

const STORED_MS = 5_000;

interface Options {
  /** The daemons reach each server through a proxy. */
  proxied?: boolean;
  /** URL of another Redis instead of the private one. */
  redisUrl?: string;
  config?: ConfigFile;
}

export async function startFleet(
  t: Scope,
  count: number,
  { proxied = false, redisUrl, config = {} }: Options = {},
): Promise<Fleet> {
  const owned = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting;
    t.teardown(() => server.stop());
    return server;
  };
  const starts = [owned(startRedis()), owned(startMongoDb()), owned(startRabbitMq())] as const;
  // If one does not start, the others are stopped too: a server that is left keeps the process of the test.
  await Promise.allSettled(starts);
  const [redis, mongodb, rabbitmq] = await Promise.all(starts);
  const servers = { redis, mongodb, rabbitmq };
  const proxies = proxied ? await proxiesOf(t, servers) : undefined;
  const url = (name: Names) => (proxies ? at(servers[name].url, proxies[name].port) : servers[name].url);
  const env = { REDIS_URL: redisUrl ?? url('redis'), MONGODB_URL: url('mongodb'), AMQP_URL: url('rabbitmq') };
  const daemons: DaemonProcess[] = [];
  // In sequence: the first creates the user for all logins.
  for (let n = 0; n < count; n += 1)
    daemons.push(await startDaemonProcess(t, { env, config: { ...folders, ...config } }));
  return { ...servers, daemons, proxies, waiting: () => waiting(mongodb.url) };
}

async function proxiesOf(t: Scope, servers: Servers): Promise<Record<Names, TcpProxy>> {
  const [redis, mongodb, rabbitmq] = await Promise.all(
    [servers.redis, servers.mongodb, servers.rabbitmq].map((server) => startProxy(Number(new URL(server.url).port))),
  );
  const proxies = { redis, mongodb, rabbitmq } as Record<Names, TcpProxy>;
  t.teardown(() => Promise.all(Object.values(proxies).map((proxy) => proxy.stop())));
  return proxies;
}

function at(text: string, port: number): string {
  const url = new URL(text);
  url.port = String(port);
  return url.href;
}

async function waiting(url: string): Promise<number> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: STORED_MS });
  try {
    return await client.db().collection('outbox').countDocuments();
  } finally {
    await client.close();
  }
}
