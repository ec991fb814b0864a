/** Web hooks under real daemons: a kill loses no event, and one of several daemons sends each. */
import anyTest, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { chain, ended, launch } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import type { Hearing } from '../support/servers/hearing.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { type Posted, startReceiver } from '../support/servers/receiver.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const several = needing(noRedis ?? noMongoDb);
const TASK_COUNT = 4;
/** More than are delivered at the same time. */
const LAUNCHES = 12;
/** The maximum of concurrent deliveries to one hook. */
const IN_FLIGHT = 8;

interface TaskProgress {
  label: string;
  state: string;
}

/** The events of each workflow, whatever happens to daemons: its start, each task's success, and its end. */
const wanted = (ids: readonly string[]) =>
  ids.flatMap((id) => [
    `${id} started`,
    ...Array.from({ length: TASK_COUNT }, (_, n) => `${id} t${n} succeeded`),
    `${id} finished`,
  ]);

function said({ event: { typeId, action, data } }: Posted): string {
  const task = data.taskProgress as TaskProgress | undefined;
  return task === undefined ? `${typeId} ${action}` : `${typeId} ${task.label} ${task.state}`;
}

/** Resolves when all events arrived; the error names missing ones. */
async function allSaid(t: ExecutionContext, posted: Hearing<Posted>, ids: readonly string[]): Promise<void> {
  const missing = () => {
    const heard = new Set(posted.all.map(said));
    return wanted(ids).filter((line) => !heard.has(line));
  };
  const timer = setTimeout(() => t.log(missing()), 90_000);
  await posted.until(() => missing().length === 0);
  clearTimeout(timer);
}

/** Posts of the same event, each with the first of it. */
function copies(posted: readonly Posted[]): [first: Posted, copy: Posted][] {
  const first = new Map<string, Posted>();
  return posted.flatMap((one) => {
    const before = first.get(one.event.id);
    if (before === undefined) first.set(one.event.id, one);
    return before === undefined ? [] : [[before, one] as [Posted, Posted]];
  });
}

/** The number of attempts that the daemon reports. */
async function sentBy({ southbound }: DaemonProcess): Promise<number> {
  const { status, body } = await southbound('GET', '/../../metrics');
  if (status !== 200) throw new Error(`/metrics: ${status}`);
  const counts = [...String(body).matchAll(/^nodewright_hook_deliveries_total\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const define = (t: ExecutionContext, { api }: DaemonProcess) =>
  api('PUT', '/workflows/graphs', chain('Graph.Hooks', 'Task.Fixture.Write', `${folder(t)}/ledger`, 20, TASK_COUNT));

const launchAll = (daemons: readonly DaemonProcess[], count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, (_, n) => launch(daemons[n % daemons.length] as DaemonProcess, 'Graph.Hooks')),
  );

anyTest.serial('a daemon that is killed and started again has posted every event', async (t) => {
  const daemon = await startDaemonProcess(t, { config: { ...folders } });
  const { url, posted } = await startReceiver(t);
  t.is((await daemon.api('POST', '/hooks', { url, filters: [{ type: 'graph' }] })).status, 201);
  await define(t, daemon);
  const ids = await launchAll([daemon], LAUNCHES);
  await posted.until((all) => all.length >= LAUNCHES);
  await daemon.kill('SIGKILL');
  const killed = performance.now();
  await daemon.start();
  await allSaid(t, posted, ids);
  for (const [first, copy] of copies(posted.all)) t.true(first.at < killed && killed < copy.at);
  t.true(copies(posted.all).length <= IN_FLIGHT, `${copies(posted.all).length}`);
});

several.serial('three daemons post each event once, and none is lost when one of them is killed', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const daemons: DaemonProcess[] = [];
  for (let n = 0; n < 3; n += 1) daemons.push(await startDaemonProcess(t, { env, config: { ...folders } }));
  const [first, second, victim] = daemons as [DaemonProcess, DaemonProcess, DaemonProcess];
  const { url, posted } = await startReceiver(t);
  const { body: hook } = await second.api('POST', '/hooks', { url, filters: [{ type: 'graph' }] });
  await define(t, first);
  const ids = await launchAll(daemons, LAUNCHES);
  await Promise.all(ids.map((id) => ended(first, id)));
  await allSaid(t, posted, ids);
  t.deepEqual(copies(posted.all), [], 'without a death');

  const seen = posted.all.length;
  const more = await launchAll(daemons, LAUNCHES);
  await posted.until((all) => all.length >= seen + LAUNCHES);
  await victim.kill('SIGKILL');
  const killed = performance.now();
  await allSaid(t, posted, more);
  for (const [before, copy] of copies(posted.all)) t.true(before.at < killed && killed < copy.at);
  t.true(copies(posted.all).length <= IN_FLIGHT, `${copies(posted.all).length}`);
  const log = await first.api('GET', `/hooks/${hook.id}/deliveries?state=failed`);
  t.deepEqual(log.body, []);
});

several.serial(
  'a daemon with the role api sends nothing itself, one with the role worker sends all, each once',
  async (t) => {
    const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
    t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
    const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
    const config = { ...folders };
    const api = await startDaemonProcess(t, { env, config, role: 'api' });
    const { url, posted } = await startReceiver(t);
    const { body: hook } = await api.api('POST', '/hooks', { url, filters: [{ type: '^(graph|node)$' }] });
    await define(t, api);
    const made = Array.from({ length: 5 }, (_, n) => api.api('POST', '/nodes', { type: 'compute', name: `node ${n}` }));
    const nodes = (await Promise.all(made)).map(({ body }) => `${body.id} added`);
    const ids = await launchAll([api], 5);
    const { body: waiting } = await api.api('GET', `/hooks/${hook.id}/deliveries?state=waiting&type=node`);
    t.is(waiting.length, nodes.length);
    t.deepEqual(posted.all, []);

    // The api daemon created the events and holds any leases; the worker sends.
    const worker = await startDaemonProcess(t, { env, config, role: 'worker' });
    await allSaid(t, posted, ids);
    await posted.until((all) => nodes.every((node) => all.some((one) => said(one) === node)));
    await Promise.all(ids.map((id) => ended(api, id)));
    t.is(await sentBy(api), 0);

    // Now only the worker is left to hold the leases.
    await api.kill('SIGKILL');
    await api.start();
    const more = await launchAll([api], 5);
    await allSaid(t, posted, more);
    t.deepEqual(copies(posted.all), []);
    t.is(await sentBy(api), 0);
    t.is(await worker.kill('SIGTERM'), 0);
  },
);
