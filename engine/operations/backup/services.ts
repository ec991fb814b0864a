/** MongoDB and Redis as a command has them: without a daemon of this process. */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import type { Store } from '../../platform/store/port.ts';

export interface OpenServices {
  store: Store;
  connections: RedisConnections;
  close(): Promise<void>;
}

/** Opens the embedded database in a folder that no daemon uses. */
export type OpenDatabase = (dataDir: string) => Promise<Store>;
