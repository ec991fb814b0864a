/**
 * Where documents and jobs are stored: the only file that names an adapter of store and queue. Either everything is in
 * this process (SQLite, and jobs in memory), in single-node mode; or any number of processes share MongoDB and Redis.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { LiveState } from '../durable/live/port.ts';
import type { EventMarks } from '../events/event-log/event-marks.ts';
import type { EventTail } from '../events/event-log/port.ts';
import type { OpenServices } from '../operations/backup/services.ts';
import { rejectUnfinished } from '../operations/backup/unfinished-restore.ts';
import { type Cluster, openCluster, singleNodeCluster } from '../platform/cluster/cluster.ts';
import { type Epoch, localEpoch } from '../platform/cluster/epoch.ts';
import { othersBeat } from '../platform/cluster/membership.ts';
import type { Queues } from '../platform/queue/port.ts';
import type { RedisDurability } from '../platform/redis/redis-durability.ts';
import type { KeyName, KeyRing } from '../platform/secrets/key-ring.ts';
import { localKeys } from '../platform/secrets/local-keys.ts';
import { keepKeys } from '../platform/secrets/secrets.ts';
import { type StoredSecret, secretSpec, sharedKeys } from '../platform/secrets/shared-keys.ts';
import type { Store } from '../platform/store/port.ts';
import {
  checkSchemaVersion,
  documentMark,
  EMBEDDED_SCHEMA_VERSION,
  prepareSchema,
  SCHEMA_VERSION,
} from '../platform/store/schema-version.ts';
import { NodewrightError } from '../vocabulary/errors.ts';

export interface AdapterConfig {
  readonly dataDir: string;
  readonly mongodb?: string | undefined;
  readonly redis?: string | undefined;
  readonly redisDurability?: RedisDurability | undefined;
  readonly redisReplicas?: number;
}

export interface AdapterLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

export interface Adapters {
  store: Store;
  queues: Queues;
  live: LiveState;
  cluster: Cluster;
  /** The epoch of users, roles and tokens. */
  epoch: Epoch;
  /** Returns the tail of the event log that the processes share; undefined: there is one process. */
  eventTail: ((marks: EventMarks) => EventTail) | undefined;
  /** Returns keys that all processes share; the first call generates one. */
  keys(name: KeyName): Promise<KeyRing>;
  close(): Promise<void>;
}

/** @param ended receives the error when the store has failed and only a restart helps */
export function openAdapters(
  config: AdapterConfig,
  log: AdapterLog,
  ended: (error: NodewrightError) => void,
): Promise<Adapters> {
  const { dataDir, mongodb, redis } = config;
  if (mongodb !== undefined && redis !== undefined) return openShared({ ...config, mongodb, redis }, log);
  if (mongodb === undefined && redis === undefined) return openEmbedded(dataDir, log, ended);
  const [has, lacks] = mongodb === undefined ? ['redis', 'mongodb'] : ['mongodb', 'redis'];
  throw new NodewrightError(
    'CONFIG_INVALID',
    `configuration: found ${has} without ${lacks}, expected both or none, because rows and jobs are shared together; add ${lacks}`,
  );
}

const quiet: AdapterLog = { info() {}, warn() {} };

/**
 * Opens only the documents, of this version or an earlier one.
 * @throws NodewrightError DATA_DIR_LOCKED while a daemon uses the folder, and as `openAdapters`
 */
export async function openStoreAlone(
  { dataDir, mongodb }: Pick<AdapterConfig, 'dataDir' | 'mongodb'>,
  log: AdapterLog = quiet,
): Promise<Store> {
  if (mongodb === undefined) return openEmbeddedDocuments(dataDir, () => {});
  const store = await (await import('../platform/store/mongodb.ts')).openMongoStore(mongodb, log);
  return closedUnless(store, async () => {
    await checkSchemaVersion(await documentMark(store, placeOf(dataDir, mongodb)), schemaOf(mongodb));
    return store;
  });
}

/** Opens the embedded store, whose rows are all documents then. */
async function openEmbeddedDocuments(dataDir: string, onEnded: (error: NodewrightError) => void) {
  const { openEmbeddedStore } = await import('../platform/store/embedded.ts');
  const { foldJournal } = await import('../durable/live/journal-fold.ts');
  const store = await openEmbeddedStore({ dataDir, onEnded });
  return closedUnless(store, async () => {
    await checkSchemaVersion(await documentMark(store, placeOf(dataDir, undefined)), schemaOf(undefined));
    await foldJournal(store);
    return store;
  });
}

/** @throws NodewrightError CONFIG_INVALID when nothing was ever stored there */
export function checkStored({ mongodb, dataDir }: Pick<AdapterConfig, 'dataDir' | 'mongodb'>): void {
  if (mongodb !== undefined || existsSync(dataDir)) return;
  throw new NodewrightError('CONFIG_INVALID', `dataDir ${dataDir} does not exist; correct NODEWRIGHT_CONFIG`);
}

const placeOf = (dataDir: string, mongodb: string | undefined): string => (mongodb === undefined ? dataDir : 'MongoDB');

const schemaOf = (mongodb: string | undefined): number =>
  mongodb === undefined ? EMBEDDED_SCHEMA_VERSION : SCHEMA_VERSION;

/** @throws NodewrightError CONFIG_INVALID, UNAVAILABLE */
export async function openServicesAlone({
  mongodb,
  redis,
  redisDurability,
  redisReplicas,
}: AdapterConfig): Promise<OpenServices> {
  if (mongodb === undefined || redis === undefined) {
    throw new NodewrightError('CONFIG_INVALID', 'configuration: expected both mongodb and redis, or none');
  }
  const { openMongoStore } = await import('../platform/store/mongodb.ts');
  const { openRedis } = await import('../platform/queue/redis.ts');
  const store = await openMongoStore(mongodb, quiet);
  return closedUnless(store, async () => {
    const connections = await openRedis(redis, quiet, redisDurability, redisReplicas);
    return {
      store,
      connections,
      async close() {
        await connections.close();
        await store.close();
      },
    };
  });
}

/** Closes it when the work fails. */
async function closedUnless<R>(opened: { close(): Promise<void> }, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    await opened.close().catch(() => {});
    throw error;
  }
}

/** There is one process. */
const noOthers = async (): Promise<boolean> => false;

// Adapters are imported on demand, so that a start with one does not load the other.
async function openEmbedded(
  dataDir: string,
  log: AdapterLog,
  onEnded: (error: NodewrightError) => void,
): Promise<Adapters> {
  const { createEmbeddedQueues } = await import('../platform/queue/embedded.ts');
  const { openJournalState } = await import('../durable/live/journal-state.ts');
  const { serveCopies } = await import('../platform/store/copy-server.ts');
  const store = await openEmbeddedDocuments(dataDir, onEnded);
  await closedUnless(store, () => upgradeDocuments(store, { dataDir }));
  const copies = await serveCopies(dataDir, store, (reason) =>
    log.warn({ reason }, 'a backup can be made only while the daemon is stopped'),
  );
  const queues = createEmbeddedQueues((what, err) => log.warn({ err, what }, 'the queue'));
  const live = await openJournalState(store, (what, err) => log.warn({ err, what }, 'the rows'));
  return {
    store,
    queues,
    live,
    cluster: singleNodeCluster(randomUUID()),
    epoch: localEpoch(),
    eventTail: undefined,
    keys: await localKeys(store, dataDir),
    async close() {
      await queues.close();
      await live.close();
      await copies.close();
      await store.close();
    },
  };
}

async function openShared(
  { mongodb, redis, redisDurability, redisReplicas, dataDir }: AdapterConfig & { mongodb: string; redis: string },
  log: AdapterLog,
): Promise<Adapters> {
  const { openMongoStore } = await import('../platform/store/mongodb.ts');
  const { openRedis, redisQueues } = await import('../platform/queue/redis.ts');
  const { openRedisState } = await import('../durable/live/redis-state.ts');
  const { lockDataDir } = await import('../platform/store/lock.ts');
  const { makeDataDir } = await import('../platform/store/data-dir.ts');
  const { openRedisCluster } = await import('../platform/cluster/redis-cluster.ts');
  const { RedisEpoch } = await import('../platform/cluster/redis-epoch.ts');
  const { redisMark } = await import('../durable/live/redis-schema.ts');
  const { succeed } = await import('../platform/cluster/previous-instance.ts');
  const { RedisTail } = await import('../events/event-log/redis-tail.ts');
  const lock = lockDataDir(makeDataDir(dataDir));
  const store = await openMongoStore(mongodb, log);
  await rejectUnfinished(store).catch(async (error) => {
    await store.close();
    lock.release();
    throw error;
  });
  const id = randomUUID();
  const connections = await openRedis(redis, log, redisDurability, redisReplicas).catch(async (error) => {
    await store.close();
    lock.release();
    throw error;
  });
  const queues = redisQueues(connections, id);
  const close = async () => {
    await queues.close();
    await store.close();
    lock.release();
  };
  return closedUnless({ close }, async () => {
    const shared = openRedisCluster(connections);
    const parts = [await documentMark(store, 'MongoDB'), redisMark(connections)].map((mark) => ({
      mark,
      upgrades: {},
    }));
    await prepareSchema(parts, () => othersBeat(shared.heartbeats));
    const live = await openRedisState(connections, store, (what, err) => log.warn({ err, what }, 'the record'));
    const secrets = await store.collection<StoredSecret>(secretSpec);
    return {
      store,
      queues,
      live,
      cluster: openCluster(shared, id, succeed(dataDir, id)),
      epoch: new RedisEpoch(connections, 'access'),
      eventTail: (marks) => new RedisTail(connections, marks),
      keys: (name) => sharedKeys(secrets, name, dataDir),
      async close() {
        await live.close();
        await close();
      },
    };
  });
}

/** Whether daemons use these services. Without services, the lock of the data directory answers that. */
export async function daemonsRun({ redis, redisDurability }: AdapterConfig, log: AdapterLog): Promise<boolean> {
  if (redis === undefined) return false;
  const { openRedis } = await import('../platform/queue/redis.ts');
  const { openRedisCluster } = await import('../platform/cluster/redis-cluster.ts');
  const connections = await openRedis(redis, log, redisDurability);
  try {
    return await othersBeat(openRedisCluster(connections).heartbeats);
  } finally {
    await connections.close();
  }
}

/** Brings the documents of a store that no daemon uses to this version. @throws NodewrightError SCHEMA_NEWER */
export async function upgradeDocuments(store: Store, { dataDir, mongodb }: AdapterConfig): Promise<void> {
  const mark = await documentMark(store, placeOf(dataDir, mongodb));
  await prepareSchema([{ mark, upgrades: {} }], noOthers, schemaOf(mongodb));
}

export interface KeyStore {
  /** The documents, some of which are encrypted with the keys. */
  store: Store;
  keys: Adapters['keys'];
  /** @returns false if another process has replaced them */
  replace(name: KeyName, before: KeyRing, after: KeyRing): Promise<boolean>;
  close(): Promise<void>;
}

/** For a change of keys. Without services no daemon may have the data directory. */
export async function openKeyStore({ dataDir, mongodb }: AdapterConfig, log: AdapterLog): Promise<KeyStore> {
  if (mongodb === undefined) {
    const store = await openStoreAlone({ dataDir, mongodb }, log);
    return {
      store,
      keys: await localKeys(store, dataDir),
      async replace(name, _, after) {
        keepKeys(dataDir, name, after);
        return true;
      },
      close: () => store.close(),
    };
  }
  const store = await openStoreAlone({ dataDir, mongodb }, log);
  const secrets = await store.collection<StoredSecret>(secretSpec);
  return {
    store,
    keys: (name) => sharedKeys(secrets, name, dataDir),
    async replace(id, [before], [value, ...accepted]) {
      return (await secrets.update({ id, value: before }, { $set: { value, accepted } })) !== undefined;
    },
    close: () => store.close(),
  };
}
