/** Private services for one figure: Redis, MongoDB or FerretDB, RabbitMQ. */
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { noPrivateMongoDb, type PrivateMongoDb, privateMongoDb, startMongoDb } from '../support/servers/mongodb.ts';
import { noRabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { noRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';
import { killDaemons } from './daemon.ts';
import { Skipped } from './figure.ts';
import type { Clocks } from './rounds.ts';
import { clocksOf } from './usage.ts';

/** Redis syncs each write to its append-only file. */
const AOF = 'always';

export interface Services {
  /** Configuration for an engine or a daemon. */
  config: ConfigFile & { mongodb: string; redis: string; amqp: string };
  redis: RedisServer;
  mongodb: PrivateMongoDb;
  /** Process ids, by name. */
  pids: Readonly<Record<string, number>>;
  clocks: Clocks;
}

/** Stops them afterwards, however `run` ends. @throws Skipped when one of them is not installed */
export async function withServices<T>(run: (services: Services) => Promise<T>): Promise<T> {
  const missing = noRedis ?? noPrivateMongoDb ?? noRabbitMq;
  if (missing !== undefined) throw new Skipped(missing);
  const started: { stop(): Promise<void> }[] = [];
  const kept = async <S extends { stop(): Promise<void> }>(starting: Promise<S>): Promise<S> => {
    const service = await starting;
    started.push(service);
    return service;
  };
  try {
    const redis = await kept(startRedis('--appendfsync', AOF));
    const mongodb = await kept(startMongoDb());
    const broker = await kept(startRabbitMq());
    const pids = { Redis: redis.pid ?? 0, [privateMongoDb]: mongodb.pid ?? 0, RabbitMQ: broker.pid ?? 0 };
    return await run({
      config: { redis: redis.url, redisDurability: AOF, mongodb: mongodb.url, amqp: broker.url },
      redis,
      mongodb,
      pids,
      clocks: clocksOf(pids),
    });
  } finally {
    // A failed figure leaves its daemons, which would lose their services.
    killDaemons();
    for (const service of started) await service.stop();
  }
}
