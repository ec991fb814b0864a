/** Private services for one figure: Redis with `appendfsync always`, MongoDB or FerretDB, RabbitMQ. */
import type { ConfigFile } from '../../engine/config/config.ts';
import { type PrivateMongoDb, startMongoDb } from '../support/mongodb.ts';
import { startRabbitMq } from '../support/rabbitmq.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { killDaemons } from './daemon.ts';

export interface Services {
  /** Configuration for an engine or a daemon. */
  config: ConfigFile & { mongodb: string; redis: string; amqp: string };
  redis: RedisServer;
  mongodb: PrivateMongoDb;
}

/** Stops them afterwards, however `run` ends. */
export async function withServices<T>(run: (services: Services) => Promise<T>): Promise<T> {
  const started: { stop(): Promise<void> }[] = [];
  const kept = async <S extends { stop(): Promise<void> }>(starting: Promise<S>): Promise<S> => {
    const service = await starting;
    started.push(service);
    return service;
  };
  try {
    const redis = await kept(startRedis());
    const mongodb = await kept(startMongoDb());
    const broker = await kept(startRabbitMq());
    return await run({
      config: { redis: redis.url, mongodb: mongodb.url, amqp: broker.url },
      redis,
      mongodb,
    });
  } finally {
    // A failed figure leaves its daemons, which would lose their services.
    killDaemons();
    for (const service of started) await service.stop();
  }
}
