/** Opens MongoDB and Redis for a command. */
import type { Config } from '../config/config.ts';
import { NodewrightError } from '../define/errors.ts';
import { openRedis } from '../queue/redis.ts';
import type { RedisConnections } from '../queue/redis-connections.ts';
import { openMongoStore } from '../store/mongodb.ts';
import type { Store } from '../store/port.ts';

const quiet = { info() {}, warn() {} };

export interface OpenServices {
  store: Store;
  connections: RedisConnections;
  close(): Promise<void>;
}

/** @throws NodewrightError CONFIG_INVALID, UNAVAILABLE */
export async function openServices({ mongodb, redis, redisDurability, redisReplicas }: Config): Promise<OpenServices> {
  if (mongodb === undefined || redis === undefined) {
    throw new NodewrightError('CONFIG_INVALID', 'configuration: expected both mongodb and redis, or none');
  }
  const store = await openMongoStore(mongodb, quiet);
  try {
    const connections = await openRedis(redis, quiet, redisDurability, redisReplicas);
    return {
      store,
      connections,
      async close() {
        await connections.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
