import type { ExecutionContext } from 'ava';
import { openAdapters } from '../../../../engine/assembly/adapters.ts';
import type { RedisDurability } from '../../../../engine/platform/redis/redis-durability.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openQueues } from '../../../support/engine/redis-queues.ts';
import { noMongoDb, openMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const shared = needing(noRedis ?? noMongoDb, 'mongodb');

async function start(t: ExecutionContext, ...settings: string[]): Promise<RedisServer> {
  const server = await startRedis(...settings);
  t.teardown(() => server.stop());
  return server;
}

/** Returns the log of a start, or the message of its rejection. */
async function outcome(t: ExecutionContext, url: string, accepted?: RedisDurability): Promise<string[] | string> {
  try {
    return [...(await openQueues(t, url, accepted)).lines.all];
  } catch (error) {
    t.like(error, { code: 'CONFIG_INVALID' });
    return (error as Error).message;
  }
}

/** @param settings with which the power of the host may lose as much as `loses` says */
function weaker(title: string, settings: string[], loses: Exclude<RedisDurability, 'always'>, found: string): void {
  redis.serial(`a server with ${title} is rejected, unless the configuration accepts it`, async (t) => {
    const { url } = await start(t, ...settings);
    for (const accepted of [undefined, 'always', ...(loses === 'no' ? ['everysec'] : [])] as RedisDurability[]) {
      const line = await outcome(t, url, accepted);
      t.true(line.includes(`redis: found ${found}, expected appendonly yes with appendfsync `), `${accepted}: ${line}`);
      t.regex(String(line), /set it in .*CONFIG SET, or accept the loss with redisDurability/);
    }
    for (const accepted of loses === 'no' ? ['no'] : ['everysec', 'no']) {
      const lines = await outcome(t, url, accepted as RedisDurability);
      t.is(lines.length, 1, String(lines));
      t.true(lines[0]?.includes(`"found":"${found}","expected":"appendonly yes with appendfsync always"`), lines[0]);
      t.regex(
        lines[0] ?? '',
        loses === 'no' ? /loses every workflow that runs/ : /loses up to two seconds of steps.*may run twice/,
      );
    }
  });
}

redis.serial('a server that loses nothing is used without a warning, whatever the configuration accepts', async (t) => {
  const { url } = await start(t);
  for (const accepted of [undefined, 'always', 'everysec', 'no'] as const) {
    t.deepEqual(await outcome(t, url, accepted), []);
  }
});

weaker('a sync each second', ['--appendfsync', 'everysec'], 'everysec', 'appendfsync everysec');
weaker('a file that is never synced', ['--appendfsync', 'no'], 'no', 'appendfsync no');
weaker('no append-only file', ['--appendonly', 'no'], 'no', 'appendonly no');
weaker(
  'no sync during rewrites',
  ['--no-appendfsync-on-rewrite', 'yes'],
  'no',
  'appendfsync always with no-appendfsync-on-rewrite yes',
);

redis.serial(
  'a server that evicts keys is rejected, unless the configuration accepts the loss of everything',
  async (t) => {
    const { url } = await start(t, '--maxmemory-policy', 'allkeys-lru');
    for (const accepted of [undefined, 'always', 'everysec'] as const) {
      t.regex(
        String(await outcome(t, url, accepted)),
        /^redis: found maxmemory-policy allkeys-lru, expected maxmemory-policy noeviction, because/,
      );
    }
    const lines = await outcome(t, url, 'no');
    t.is(lines.length, 1);
    t.regex(lines[0] ?? '', /may remove workflows that run.*maxmemory-policy allkeys-lru/);
  },
);

redis.serial('a rejection names all settings that are wrong', async (t) => {
  const { url } = await start(t, '--appendonly', 'no', '--maxmemory-policy', 'volatile-lru');
  t.regex(
    String(await outcome(t, url)),
    /found appendonly no and maxmemory-policy volatile-lru, expected appendonly yes with appendfsync always and maxmemory-policy noeviction/,
  );
});

redis.serial('a server that rejects the check is used only if the configuration says what it guarantees', async (t) => {
  const server = await start(t);
  const url = server.url.replace('//', '//limited:s3cret@');
  const allow = (...rules: string[]) =>
    server.client().acl('SETUSER', 'limited', 'reset', 'on', '>s3cret', '~*', '&*', '+@all', ...rules);
  await allow('-config');
  t.regex(
    String(await outcome(t, url)),
    /found an unknown appendfsync \(NOPERM.*set redisDurability in the configuration to what the provider guarantees/,
  );
  const [line, ...others] = await outcome(t, url, 'always');
  t.regex(line ?? '', /loses nothing, if its provider guarantees that.*an unknown appendfsync \(NOPERM/);
  t.deepEqual(others, []);
  t.regex((await outcome(t, url, 'everysec'))[0] ?? '', /loses up to two seconds of steps/);
  await server.client().config('SET', 'appendonly', 'no');
  t.regex(
    String(await outcome(t, url, 'always')),
    /found appendonly no, /,
    'INFO suffices to know that there is no file',
  );
  await server.client().config('SET', 'appendonly', 'yes');
  await allow('-config', '-info');
  t.regex(String(await outcome(t, url)), /an unknown appendonly \(NOPERM.*an unknown maxmemory-policy \(NOPERM/);
  t.is((await outcome(t, url, 'always')).length, 2);
});

shared.serial('a rejected start leaves nothing open, and the configuration decides', async (t) => {
  const [server, mongodb] = await Promise.all([start(t, '--appendfsync', 'everysec'), openMongoDb()]);
  t.teardown(() => mongodb.stop());
  const config = { dataDir: folder(t), mongodb: mongodb.url, redis: server.url };
  const log = { info() {}, warn() {} };
  const ended = (error: Error) => t.fail(error.message);
  await t.throwsAsync(openAdapters(config, log, ended), { code: 'CONFIG_INVALID', message: /appendfsync everysec/ });
  const adapters = await openAdapters({ ...config, redisDurability: 'everysec' }, log, ended);
  await adapters.close();
});
