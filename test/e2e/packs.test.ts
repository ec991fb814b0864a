/** Packs under real daemons: a kill during an upload leaves the last pack whole; several daemons all have it. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { needing } from '../support/ava/needs.ts';
import { archiveOf } from '../support/data/archive.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const several = needing(noRedis ?? noMongoDb);
/** Incompressible bytes, so that reading and writing them takes time. */
const SIZE = 4 * 1_024 * 1_024;
const filling = randomBytes(SIZE);

const packOf = (version: string) =>
  archiveOf({
    'config.json': { version, httpStaticRoot: 'static', httpTemplateRoot: 'templates', workflowRoot: 'workflows' },
    'static/version.txt': version,
    'static/filling': filling,
    'templates/version': `${version} <%= sku.name %>`,
    'workflows/g.json': {
      friendlyName: version,
      injectableName: 'Graph.Test.Pack',
      tasks: [{ label: 'a', taskName: 'Task.noop' }],
    },
  });

async function nodeOfSku({ api }: DaemonProcess): Promise<{ node: string; sku: string }> {
  const rules = [{ path: 'dmi.kind', equals: 'packed' }];
  const { body: sku } = await api('POST', '/skus', { name: 'packed', rules });
  const { body: node } = await api('POST', '/nodes', { type: 'compute', name: 'n' });
  await api('POST', `/nodes/${node.id}/catalogs`, { source: 'dmi', data: { kind: 'packed' } });
  return { node: node.id, sku: sku.id };
}

/** All versions of the pack that a daemon shows. */
async function seen({ api, southbound, root }: DaemonProcess, node: string, sku: string): Promise<string[]> {
  const record = (await api('GET', `/skus/${sku}`)).body;
  const file = (await root('GET', `/version.txt?nodeId=${node}`)).body;
  const whole = (await root('HEAD', `/filling?nodeId=${node}`)).headers.get('content-length');
  const template = (await southbound('GET', `/templates/version?nodeId=${node}`)).body;
  const graph = (await api('GET', `/workflows/graphs/Graph.Test.Pack::${sku}`)).body;
  return [record.packInfo?.version, file, whole, template, graph.friendlyName];
}

const all = (version: string) => [version, version, String(SIZE), `${version} packed`, version];

test.serial('a daemon that is killed at any moment of an upload has the old pack or the new one, whole', async (t) => {
  const daemon = await startDaemonProcess(t, { config: { ...folders } });
  const { node, sku } = await nodeOfSku(daemon);
  const from = performance.now();
  t.is((await daemon.api('PUT', `/skus/${sku}/pack`, await packOf('0'))).status, 201);
  const took = performance.now() - from;
  t.deepEqual(await seen(daemon, node, sku), all('0'));
  let last = '0';
  for (const [at, share] of [0.3, 0.6, 0.9].entries()) {
    const version = String(at + 1);
    const pack = await packOf(version);
    const answer = daemon.api('PUT', `/skus/${sku}/pack`, pack).then(
      ({ status }) => status,
      () => undefined,
    );
    await setTimeout(took * share);
    await daemon.kill('SIGKILL');
    await daemon.start();
    const found = await seen(daemon, node, sku);
    const { body } = await daemon.api('GET', `/skus/${sku}`);
    if ((await answer) === 201) t.is(body.packInfo.version, version, 'an acknowledged pack is kept');
    t.true([last, version].includes(body.packInfo.version));
    t.deepEqual(found, all(body.packInfo.version), `killed after ${share} of the time`);
    last = body.packInfo.version;
  }
  t.is((await daemon.api('PUT', `/skus/${sku}/pack`, await packOf('last'))).status, 201);
  t.deepEqual(await seen(daemon, node, sku), all('last'));
});

several.serial(
  'a pack that is put to one daemon is served by the other, and a workflow there uses its graph',
  async (t) => {
    const redis = await startRedis();
    t.teardown(() => redis.stop());
    const mongodb = await openMongoDb();
    t.teardown(() => mongodb.stop());
    const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
    const one = await startDaemonProcess(t, { env, config: { ...folders } });
    const other = await startDaemonProcess(t, { env, config: { ...folders } });
    const { node, sku } = await nodeOfSku(one);
    const pack = await packOf('shared');
    t.is((await one.api('PUT', `/skus/${sku}/pack`, pack)).status, 201);
    while ((await other.api('GET', `/workflows/graphs/Graph.Test.Pack::${sku}`)).status !== 200) await setTimeout(20);
    t.deepEqual(await seen(other, node, sku), all('shared'));
    t.is((await other.api('POST', `/nodes/${node}/workflows?name=Graph.Test.Pack`)).status, 201);
    t.is((await one.api('PUT', '/files/common.txt', Buffer.from('common'))).status, 201);
    t.is((await other.root('GET', '/common.txt')).body, 'common');
    t.is((await other.api('DELETE', `/skus/${sku}/pack`)).status, 204);
    t.is((await one.root('GET', `/version.txt?nodeId=${node}`)).status, 404);
    while ((await one.api('GET', `/workflows/graphs/Graph.Test.Pack::${sku}`)).status !== 404) await setTimeout(20);
    t.is((await one.root('GET', '/common.txt')).body, 'common');
  },
);
