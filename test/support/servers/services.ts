/** A Redis and a MongoDB for all tests of a file. */
import { noMongoDb, openMongoDb } from './mongodb.ts';
import { noRedis, startRedis } from './redis.ts';
import { shared } from './shared-resources.ts';

/** Why they cannot run here; undefined: they can. */
export const noServices = noRedis ?? noMongoDb;

/** @returns starts them, and returns the environment of a daemon on them */
export const sharedServices = (): (() => Promise<Record<string, string>>) =>
  shared(async (file) => {
    const redis = await startRedis();
    file.teardown(() => redis.stop());
    const mongodb = await openMongoDb();
    file.teardown(() => mongodb.stop());
    return { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  });
