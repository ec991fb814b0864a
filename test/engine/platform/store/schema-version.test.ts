import test from 'ava';
import { redisMark } from '../../../../engine/durable/live/redis-schema.ts';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import type { Store } from '../../../../engine/platform/store/port.ts';
import {
  documentMark,
  prepareSchema,
  type SchemaMark,
  schemaSpec,
} from '../../../../engine/platform/store/schema-version.ts';
import { schemaConformance } from '../../../conformance/schema-version.ts';
import { needing } from '../../../support/ava/needs.ts';
import { embeddedStore, mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const embedded = embeddedStore(test);
const mongodb = mongoStore(test);
const silent = { info() {}, warn() {} };

const emptied = async (store: Store): Promise<SchemaMark> => {
  await (await store.collection(schemaSpec)).remove({});
  return documentMark(store, 'the store');
};

schemaConformance(test.serial, 'embedded', () => emptied(embedded()));
schemaConformance(needing(noMongoDb, 'mongodb').serial, 'MongoDB', () => emptied(mongodb()));

let redis: RedisServer;
test.after.always(() => redis?.stop());

schemaConformance(needing(noRedis).serial, 'Redis', async () => {
  redis ??= await startRedis();
  await redis.client().flushall();
  connections ??= await openRedis(redis.url, silent);
  return redisMark(connections);
});

let connections: Awaited<ReturnType<typeof openRedis>> | undefined;
test.after.always(() => connections?.close());

test.serial('all stores are checked before one is changed', async (t) => {
  const older = await emptied(embedded());
  const newer: SchemaMark = { ...older, place: 'the other', read: async () => ({ number: 3 }) };
  const parts = [older, newer].map((mark) => ({ mark, upgrades: {} }));
  await t.throwsAsync(() => prepareSchema(parts, async () => false, 2), { message: /^the data of the other has/ });
  t.is(await older.read(), undefined);
});
