import test from 'ava';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import { RedisScripts } from '../../../../engine/platform/redis/redis-scripts.ts';
import { needing } from '../../../support/ava/needs.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
let server: RedisServer;
test.before(async () => {
  if (!noRedis) server = await startRedis();
});
test.after.always(() => server?.stop());

const texts = {
  add: "redis.call('RPUSH', KEYS[1], ARGV[1]) return 1",
  fail: "return redis.error_reply('it fails')",
};

/** Scripts on a connection of their own, and the number of pipelines that it sent. */
async function opened(t: { teardown(run: () => Promise<void>): void }) {
  const connections = await openRedis(server.url, { info() {}, warn() {} });
  t.teardown(() => connections.close());
  const { commands } = connections;
  const pipeline = commands.pipeline.bind(commands);
  const counts = { sent: 0 };
  commands.pipeline = ((...args: []) => {
    counts.sent += 1;
    return pipeline(...args);
  }) as typeof commands.pipeline;
  const scripts = new RedisScripts(connections, texts);
  const call = (list: string, value: string) => ({ script: 'add', keys: [list], args: [value] }) as const;
  // The server learns the script.
  await scripts.run([call('warm', 'up')]);
  counts.sent = 0;
  return { scripts, call, counts, list: (name: string) => commands.lrange(name, 0, -1) };
}

redis.serial('a deferred script goes with the next scripts of its connection, in one pipeline', async (t) => {
  const { scripts, call, counts, list } = await opened(t);
  const deferred = [scripts.runSoon(call('with', 'first')), scripts.runSoon(call('with', 'second'))];
  t.deepEqual(await scripts.run([call('with', 'own')]), [1]);
  t.deepEqual(await Promise.all(deferred), [1, 1]);
  t.is(counts.sent, 1);
  t.deepEqual(await list('with'), ['own', 'first', 'second']);
});

redis.serial(
  'a deferred script is sent alone when nothing follows, also one that the server does not have',
  async (t) => {
    const { scripts, call, counts, list } = await opened(t);
    t.is(await scripts.runSoon(call('alone', 'one')), 1);
    t.is(counts.sent, 1);
    await server.client().script('FLUSH');
    t.is(await scripts.runSoon(call('alone', 'two')), 1);
    t.deepEqual(await list('alone'), ['one', 'two']);
  },
);

redis.serial('a script that is deferred while others are under way goes with the next ones', async (t) => {
  const { scripts, call, list } = await opened(t);
  const first = scripts.run([call('under way', 'first')]);
  const deferred = scripts.runSoon(call('under way', 'deferred'));
  t.deepEqual(await Promise.all([first, deferred]), [[1], 1]);
  t.deepEqual(await list('under way'), ['first', 'deferred']);
});

redis.serial('an error of a deferred script is its own, and not that of the scripts beside it', async (t) => {
  const { scripts, call } = await opened(t);
  const failed = scripts.runSoon({ script: 'fail', keys: [], args: [] });
  const others = scripts.run([call('beside', 'one')]);
  await t.throwsAsync(failed, { message: /it fails/ });
  t.deepEqual(await others, [1]);
});
