/** The stores of an earlier version in `fixtures/stores`, for a daemon of this one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { BSON, MongoClient } from 'mongodb';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

/** The ids of its records, as `fixtures/stores/make.ts` has written them. */
export interface EarlierIds {
  nodes: Record<'waiting' | 'sleeping' | 'resting' | 'failed' | 'ended' | 'rack', string>;
  obm: string;
  sku: string;
  hook: string;
  poller: string;
  workflows: Record<'waiting' | 'sleeping' | 'resting' | 'failed' | 'ended', string>;
}

const file = (name: string) => packagePath(join('fixtures/stores', name));

/** Unpacks a data directory. It is removed with its owner. */
export function earlierDataDir(t: Scope): { dataDir: string; ids: EarlierIds } {
  const home = folder(t);
  const { status, stderr } = spawnSync('tar', ['-xzf', file('0.1.0.tar.gz'), '-C', home]);
  if (status !== 0) throw new Error(String(stderr));
  return { dataDir: join(home, 'data'), ids: JSON.parse(readFileSync(join(home, 'made.json'), 'utf8')) };
}

type Line =
  | { collection: string; document: Record<string, unknown> }
  | { key: string; type: 'string'; value: string }
  | { key: string; type: 'hash'; value: Record<string, string> }
  | { key: string; type: 'zset' | 'list'; value: string[] }
  | { key: string; type: 'stream'; value: [string, string[]][] };

/** Writes the documents and the rows into empty services. */
export async function plantEarlier(mongodb: string, redis: Redis): Promise<EarlierIds> {
  const [first = '', ...lines] = gunzipSync(readFileSync(file('0.1.0.jsonl.gz')))
    .toString()
    .trimEnd()
    .split('\n');
  const client = new MongoClient(mongodb);
  try {
    for (const line of lines) {
      const found: Line = JSON.parse(line);
      if ('collection' in found) {
        const document = BSON.EJSON.deserialize(found.document, { relaxed: true });
        await client.db().collection(found.collection).insertOne(document);
      } else await plant(redis, found);
    }
  } finally {
    await client.close();
  }
  return JSON.parse(first);
}

async function plant(redis: Redis, found: Extract<Line, { key: string }>): Promise<void> {
  if (found.type === 'string') await redis.set(found.key, found.value);
  else if (found.type === 'hash') await redis.hset(found.key, found.value);
  else if (found.type === 'list') await redis.rpush(found.key, ...found.value);
  else if (found.type === 'stream') {
    for (const [id, fields] of found.value) await redis.xadd(found.key, id, ...fields);
  } else {
    for (let at = 0; at < found.value.length; at += 2) {
      await redis.zadd(found.key, found.value[at + 1] as string, found.value[at] as string);
    }
  }
}
