/** The health endpoint of real daemons, in each role. */
import test from 'ava';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const config = { ...folders, healthEndpoint: '127.0.0.1:0' };

for (const role of ['worker', 'api', 'both'] as const) {
  test(`a daemon with the role ${role} serves its health and its metrics without a token, and nothing else`, async (t) => {
    const { health, log } = await startDaemonProcess(t, { role, config });
    t.like(await health('GET', '/healthz'), { status: 200, body: { status: 'ok' } });
    t.like(await health('GET', '/readyz'), { status: 200, body: { status: 'ready' } });
    const { status, body } = await health('GET', '/metrics');
    t.is(status, 200);
    t.regex(String(body), /^nodewright_events_total \d/m);
    t.is((await health('POST', '/healthz')).status, 405);
    for (const path of ['/api/current/nodes', '/api/current/openapi.json', '/login', '/docs']) {
      t.is((await health('GET', path)).status, 404, path);
    }
    const line = log.find((one) => one.includes('"msg":"listening"')) ?? '';
    const routers = (JSON.parse(line).endpoints as { routers: string }[]).map((endpoint) => endpoint.routers);
    t.is(routers.at(-1), 'health-router');
    t.is(routers.length, role === 'worker' ? 1 : 3);
  });
}

test('templates on a daemon with a health endpoint still name the southbound endpoint', async (t) => {
  const daemon = await startDaemonProcess(t, { config });
  const { body } = await daemon.api('GET', '/config');
  const ports = (body.httpEndpoints as { port: number }[]).map(({ port }) => port);
  t.is(ports.length, 2);
  t.false(ports.includes(0));
});

needing(noRedis ?? noMongoDb).serial('a worker is alive but not ready while Redis does not answer', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const { health } = await startDaemonProcess(t, { role: 'worker', env, config });
  const becomes = (wanted: number) =>
    seen(async () => {
      const { status } = await health('GET', '/readyz');
      return status === wanted;
    }, WAIT_MS);
  await becomes(200);
  await redis.pause();
  await becomes(503);
  t.is((await health('GET', '/healthz')).status, 200);
  redis.resume();
  await becomes(200);
  t.pass();
});
