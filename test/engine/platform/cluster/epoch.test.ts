import test, { type ExecutionContext } from 'ava';
import { KEPT_MS, localEpoch } from '../../../../engine/platform/cluster/epoch.ts';
import { RedisEpoch } from '../../../../engine/platform/cluster/redis-epoch.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { needing } from '../../../support/ava/needs.ts';
import { connectedTo } from '../../../support/engine/redis-cluster.ts';
import { startProxy } from '../../../support/servers/proxy.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const declare = needing(noRedis).serial;
const scope = fileScope();
let server: RedisServer;

if (!noRedis) {
  test.before(async () => {
    server = await startRedis();
    scope.teardown(() => server.stop());
  });
}

/** The epoch of one process. */
async function join(t: ExecutionContext, port = server.port) {
  const connections = await connectedTo(t, `redis://127.0.0.1:${port}`);
  return { connections, epoch: new RedisEpoch(connections, t.title) };
}

const nothing = async () => {};
/** The process dies while it makes a change. */
const die = (epoch: RedisEpoch) =>
  new Promise<void>((begun) => {
    void epoch.change(() => {
      begun();
      return new Promise(() => {});
    });
  });

test('in one process there is no epoch during a change, and another one after it, also if it failed', async (t) => {
  const epoch = localEpoch();
  const before = await epoch.read();
  t.is(await epoch.read(), before);
  const [first, second] = [deferred(), deferred()];
  const changes = [epoch.change(() => first.promise), epoch.change(() => second.promise)];
  t.is(await epoch.read(), undefined);
  first.resolve();
  await changes[0];
  t.is(await epoch.read(), undefined, 'the other one is being made');
  second.reject(new Error('away'));
  await t.throwsAsync(async () => changes[1], { message: 'away' });
  const after = await epoch.read();
  t.true(after !== undefined && after !== before);
});

declare(
  'processes have the same epoch until one makes a change, none during it, and another one after it',
  async (t) => {
    const [one, two] = [await join(t), await join(t)];
    const before = await one.epoch.read();
    t.truthy(before);
    t.is(await two.epoch.read(), before);
    const [first, second] = [deferred<string>(), deferred()];
    const changes = [one.epoch.change(() => first.promise), two.epoch.change(() => second.promise)];
    while ((await one.epoch.read()) !== undefined);
    first.resolve('written');
    t.is(await changes[0], 'written');
    t.is(await one.epoch.read(), undefined, 'the other one is being made');
    second.resolve();
    await changes[1];
    const after = await one.epoch.read();
    t.true(after !== undefined && after !== before);
    t.is(await two.epoch.read(), after);
  },
);

declare('a process that dies during its change, or does not know its outcome, leaves no epoch', async (t) => {
  const [one, two] = [await join(t), await join(t)];
  await t.throwsAsync(two.epoch.change(() => Promise.reject(new Error('no answer'))));
  t.is(await one.epoch.read(), undefined);
  await two.connections.commands.flushall();
  t.truthy(await one.epoch.read());
  await die(two.epoch);
  await two.connections.close();
  t.is(await one.epoch.read(), undefined);
  await one.epoch.change(nothing);
  t.is(await one.epoch.read(), undefined, 'the mark of the dead one stays');
});

declare('the mark of a dead process ends by its time, also if others make changes', async (t) => {
  const { epoch, connections } = await join(t);
  const before = await epoch.read();
  await connections.commands.zadd(`nodewright:{${t.title}}:changes`, 1, 'dead');
  t.is(await epoch.read(), before);
  await epoch.change(nothing);
  t.truthy(await epoch.read());
  t.is(await connections.commands.zcard(`nodewright:{${t.title}}:changes`), 0);
});

declare('without Redis there is no epoch, and a change is made and waits until nothing older is used', async (t) => {
  const proxy = await startProxy(server.port);
  t.teardown(() => proxy.stop());
  const [cut, other] = [await join(t, proxy.port), await join(t)];
  const before = await other.epoch.read();
  t.is(await cut.epoch.read(), before);
  proxy.hang();
  t.is(await cut.epoch.read(), undefined);
  let writtenAt = 0;
  await cut.epoch.change(async () => {
    writtenAt = performance.now();
  });
  t.true(performance.now() - writtenAt >= KEPT_MS);
  t.is(await other.epoch.read(), before, 'the epoch of the others');
});

declare('a connection that was lost ends the epoch, because Redis may have lost a change', async (t) => {
  const proxy = await startProxy(server.port);
  t.teardown(() => proxy.stop());
  const { epoch } = await join(t, proxy.port);
  const before = await epoch.read();
  t.truthy(before);
  proxy.cut();
  let after: string | undefined;
  while (after === undefined) after = await epoch.read();
  t.not(after, before);
});

declare('an emptied Redis during a change leaves no epoch of that time when the change is acknowledged', async (t) => {
  const [one, two] = [await join(t), await join(t)];
  let during: string | undefined;
  await one.epoch.change(async () => {
    await one.connections.commands.flushall();
    during = await two.epoch.read();
    t.truthy(during);
  });
  t.not(await two.epoch.read(), during);
});
