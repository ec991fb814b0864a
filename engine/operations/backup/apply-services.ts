/**
 * Restores a backup into MongoDB and Redis. A mark in MongoDB comes first and goes last: no daemon starts in between, and a
 * restore that was interrupted is done again. The rows rest: a daemon brings them to Redis as they move, and creates jobs.
 */
import { randomUUID } from 'node:crypto';
import { EPOCH_KEY } from '../../durable/live/redis-rows.ts';
import { othersBeat } from '../../platform/cluster/membership.ts';
import { openRedisCluster } from '../../platform/cluster/redis-cluster.ts';
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { type StoredSecret, secretSpec } from '../../platform/secrets/shared-keys.ts';
import { pages, picking } from '../../platform/store/pages.ts';
import type { CollectionSpec, Store } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { readArchive } from './archive-reader.ts';
import { backedUp } from './backup-collections.ts';
import { insertChunk, sharedSpec } from './insert-chunk.ts';
import type { OpenServices } from './services.ts';
import { isUnfinished, markRestore, unmarkRestore } from './unfinished-restore.ts';

const KEY_PATTERN = 'nodewright:*';
const SCANNED = 1_000;
const REMOVED = 500;

const ownCollections: readonly CollectionSpec[] = [...backedUp.map(sharedSpec), secretSpec];

/** @throws NodewrightError RESTORE_RUNNING, RESTORE_NOT_EMPTY, BACKUP_INVALID, UNAVAILABLE */
export async function applyServices(services: OpenServices, file: string, replace: boolean): Promise<void> {
  const { store, connections } = services;
  const wasUnfinished = await isUnfinished(store);
  await markRestore(store);
  try {
    await rejectRunning(connections);
    if (!replace) await rejectData(store, connections);
  } catch (error) {
    if (!wasUnfinished) await unmarkRestore(store);
    throw error;
  }
  await removeAll(store, connections);
  await insertAll(store, file);
  // All rows rest, so Redis lacks none: nothing has to be healed (`durable/live/healing.ts`), which takes minutes.
  await connections.within(connections.commands.set(EPOCH_KEY, randomUUID()));
  await unmarkRestore(store);
}

/** One that starts after this finds the mark. */
async function rejectRunning(connections: RedisConnections): Promise<void> {
  if (!(await othersBeat(openRedisCluster(connections).heartbeats))) return;
  throw new NodewrightError('RESTORE_RUNNING', 'daemons use this Redis; stop every daemon first');
}

async function rejectData(store: Store, { commands }: RedisConnections): Promise<void> {
  const [, keys] = await commands.scan('0', 'MATCH', KEY_PATTERN, 'COUNT', SCANNED);
  const problems = keys.length > 0 ? ['Redis has keys of nodewright'] : [];
  for (const spec of ownCollections) {
    if (problems.length > 0) break;
    const collection = await store.collection(spec);
    if ((await collection.find({}, { limit: 1 })).length > 0) problems.push(`MongoDB has documents in ${spec.name}`);
  }
  if (problems.length === 0) return;
  const message = `${problems[0]}, which would be removed; name empty ones in the configuration, or add --replace`;
  throw new NodewrightError('RESTORE_NOT_EMPTY', message);
}

async function removeAll(store: Store, { commands }: RedisConnections): Promise<void> {
  for (let cursor = '0'; ; ) {
    const [next, keys] = await commands.scan(cursor, 'MATCH', KEY_PATTERN, 'COUNT', SCANNED);
    if (keys.length > 0) await commands.unlink(keys);
    if (next === '0') break;
    cursor = next;
  }
  // Many together would take longer than MongoDB may for an answer.
  for (const spec of ownCollections) {
    const collection = await store.collection(spec);
    let ids: string[] = [];
    const remove = async () => {
      if (ids.length > 0) await collection.remove({ id: { $in: ids } });
      ids = [];
    };
    for await (const { id } of pages(picking(collection, []), {})) {
      ids.push(id);
      if (ids.length === REMOVED) await remove();
    }
    await remove();
  }
}

async function insertAll(store: Store, file: string): Promise<void> {
  const secrets = await store.collection<StoredSecret>(secretSpec);
  for await (const content of readArchive(file)) {
    if (content.kind === 'chunk') await insertChunk(store, content, true);
    if (content.kind === 'secret') {
      const [value = '', ...accepted] = content.ring;
      await secrets.insertMissing([{ id: content.name, value, accepted }]);
    }
  }
}
