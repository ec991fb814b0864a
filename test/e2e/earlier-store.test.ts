/** Stores of an earlier version, made by its daemon before a `kill -9`: this version continues all of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import { openStoreAlone } from '../../engine/assembly/adapters.ts';
import { documentMark, EMBEDDED_SCHEMA_VERSION, SCHEMA_VERSION } from '../../engine/platform/store/schema-version.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { runCommand } from '../support/console/command.ts';
import { type DocumentedAnswer, documentedAnswers } from '../support/data/documented-answers.ts';
import { type EarlierIds, earlierDataDir, plantEarlier } from '../support/engine/earlier-store.ts';
import { seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

/** Its workflows may have ended long before this test. */
const config = { workflowRetentionDays: 0 };
const FIRST_LOOK_MS = 20;

/** Reads all records by all routes, and compares each answer with its documentation. */
async function checkRecords(t: ExecutionContext, daemon: DaemonProcess, ids: EarlierIds): Promise<void> {
  const documented = documentedAnswers((await daemon.api('GET', '/openapi.json')).body);
  const read = async (operation: string, path: string, count?: number) => {
    const { status, body } = await daemon.api('GET', path);
    const { fits } = documented.get(operation) as DocumentedAnswer;
    t.is(status, 200, `${operation}: ${JSON.stringify(body)}`);
    t.true(fits?.(body), `${operation}: ${JSON.stringify(fits?.errors)} ${JSON.stringify(body)}`);
    if (count !== undefined) t.is(body.length, count, operation);
    return body;
  };
  await read('listNodes', '/nodes', 6);
  for (const id of Object.values(ids.nodes)) {
    await read('getNode', `/nodes/${id}`);
    await read('whyNode', `/nodes/${id}/why`);
  }
  t.deepEqual((await read('getNode', `/nodes/${ids.nodes.ended}`)).sku, ids.sku);
  t.deepEqual(await read('listTags', `/nodes/${ids.nodes.ended}/tags`), ['gpu', 'row-1']);
  const [contains] = await read('listRelations', `/nodes/${ids.nodes.rack}/relations`);
  t.is(contains.targets.length, 5);
  await read('listNodeCatalogs', `/nodes/${ids.nodes.ended}/catalogs`, 1);
  await read('listNodes', '/nodes?busy=true');
  await read('listUsers', '/users', 2);
  await read('getRole', '/roles/Watcher');
  await read('listLookups', '/lookups', 1);
  const [obm] = await read('listObms', '/obms', 1);
  t.is(obm.config.user, 'root', 'it was decrypted');
  await read('getSku', `/skus/${ids.sku}`);
  await read('getHook', `/hooks/${ids.hook}`);
  await read('getPoller', `/pollers/${ids.poller}`);
  await read('listWorkflows', '/workflows', 5);
  for (const [key, status] of [
    ['ended', 'succeeded'],
    ['failed', 'failed'],
    ['waiting', 'running'],
    ['resting', 'running'],
  ] as const) {
    t.is((await read('getWorkflow', `/workflows/${ids.workflows[key]}`)).status, status);
    t.is((await read('getNode', `/nodes/${ids.nodes[key]}`)).id, ids.nodes[key]);
  }
  await read('listWorkflows', '/workflows?active=true');
  for (const id of Object.values(ids.workflows)) {
    await read('getWorkflow', `/workflows/${id}`);
    await read('whyWorkflow', `/workflows/${id}/why`);
    t.true((await read('listHistory', `/workflows/${id}/history`)).length > 0);
  }
  await read('listEvents', '/events');
  await read('listAudit', '/audit');
  await read('getSummary', '/summary');
  for (const name of ['Short', 'Fails', 'Waits', 'Sleeps', 'SleepsLong']) {
    await read('getGraph', `/workflows/graphs/Graph.Earlier.${name}`);
  }
}

/** The workflows end as they would have ended in the earlier version. */
async function checkContinues(t: ExecutionContext, daemon: DaemonProcess, ids: EarlierIds): Promise<void> {
  const statusOf = async (id: string) => (await daemon.api('GET', `/workflows/${id}`)).body.status;
  const ends = (id: string) =>
    seen(async () => {
      const status = await statusOf(id);
      return !['pending', 'running'].includes(status) && status;
    });
  t.is(await ends(ids.workflows.sleeping), 'succeeded', 'its timer was due');
  t.is((await daemon.southbound('POST', `/notification?nodeId=${ids.nodes.waiting}`, { ip: '192.0.2.9' })).status, 201);
  t.is(await ends(ids.workflows.waiting), 'succeeded');
  t.is((await daemon.api('PUT', `/workflows/${ids.workflows.resting}/action`, { command: 'cancel' })).status, 202);
  t.is(await ends(ids.workflows.resting), 'cancelled');
  const busy = await seen(async () => {
    const { body } = await daemon.api('GET', '/nodes?busy=true');
    return body.length === 0 && [body];
  });
  t.deepEqual(busy, [[]]);
  const retried = await daemon.api('POST', `/workflows/${ids.workflows.failed}/retry`, {});
  t.is(retried.status, 201, JSON.stringify(retried.body));
  t.is(await ends(retried.body.id), 'failed', 'for its own reason again');
  const launched = await daemon.api('POST', `/nodes/${ids.nodes.ended}/workflows?name=Graph.Earlier.Short`, {});
  t.is(await ends(launched.body.id), 'succeeded');
  const { body } = await daemon.api('GET', '/audit/verify');
  t.true(body.ok && body.checked > 0, JSON.stringify(body));
}

anyTest.serial('a data directory of an earlier version is continued, also by a start after a kill', async (t) => {
  const { dataDir, ids } = earlierDataDir(t);
  const daemon = await startDaemonProcess(t, { config: { ...config, dataDir } });
  await checkRecords(t, daemon, ids);
  await daemon.kill('SIGKILL');
  await daemon.start();
  await daemon.logIn();
  await checkRecords(t, daemon, ids);
  await checkContinues(t, daemon, ids);
});

anyTest.serial('the first start on a data directory of an earlier version may be killed at any time', async (t) => {
  const { dataDir, ids } = earlierDataDir(t);
  const daemon = await startDaemonProcess(t, { config });
  await daemon.kill('SIGTERM');
  const file = JSON.parse(readFileSync(daemon.file, 'utf8'));
  writeFileSync(daemon.file, JSON.stringify({ ...file, dataDir }));
  for (let ms = FIRST_LOOK_MS; ms < 2_000; ms *= 2) {
    const start = daemon.start().catch(() => {});
    await pause(ms);
    await daemon.kill('SIGKILL');
    await start;
  }
  await daemon.start();
  await daemon.logIn();
  await checkContinues(t, daemon, ids);
});

anyTest.serial('a data directory of a newer version ends the start with one sentence, unchanged', async (t) => {
  const dataDir = folder(t);
  const daemon = await startDaemonProcess(t, { config: { ...config, dataDir } });
  await daemon.kill('SIGTERM');
  const store = await openStoreAlone({ dataDir, mongodb: undefined });
  const mark = await documentMark(store, 'the test');
  t.deepEqual({ ...(await mark.read()), id: '' }, { number: EMBEDDED_SCHEMA_VERSION, id: '' });
  await mark.begin(EMBEDDED_SCHEMA_VERSION + 1, EMBEDDED_SCHEMA_VERSION);
  await mark.finish(EMBEDDED_SCHEMA_VERSION + 1);
  await store.close();
  const command = runCommand({ NODEWRIGHT_CONFIG: daemon.file }, 'export');
  t.is(command.status, 1);
  t.regex(command.stderr, /^nw: SCHEMA_NEWER: the data of \S+ has schema version 4 of a newer nodewright/);
  await t.throwsAsync(daemon.start(), { message: /ended with 2/ });
  const [line] = daemon.errors;
  t.is(
    line,
    `nodewright: the data of ${dataDir} has schema version 4 of a newer nodewright, expected at most 3; ` +
      'run that version, or restore a backup from before its upgrade',
  );
});

needing(noRedis ?? noMongoDb).serial('services of an earlier version are continued by two daemons', async (t) => {
  const [redis, mongodb] = [await startRedis(), await openMongoDb()];
  t.teardown(async () => {
    await redis.stop();
    await mongodb.stop();
  });
  const client = redis.client();
  const ids = await plantEarlier(mongodb.url, client);
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const daemon = await startDaemonProcess(t, { env, config });
  const other = await startDaemonProcess(t, { env, config });
  await checkRecords(t, daemon, ids);
  t.deepEqual(await client.hgetall('nodewright:{live}:schema'), { number: String(SCHEMA_VERSION) });
  await daemon.kill('SIGKILL');
  await checkContinues(t, other, ids);
  await client.hset('nodewright:{live}:schema', 'number', SCHEMA_VERSION + 1);
  await t.throwsAsync(daemon.start(), { message: /ended with 2/ });
  t.regex(daemon.errors.at(-1) ?? '', /^nodewright: the data of Redis has schema version 3 of a newer nodewright/);
});
