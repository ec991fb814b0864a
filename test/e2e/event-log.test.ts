/** The log of events under real daemons: a kill loses no event, and any daemon streams those of all. */
import anyTest, { type ExecutionContext } from 'ava';
import type { LoggedEvent } from '../../engine/api-port/events.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { chain, ended, launch, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { type EventReader, readEvents, type Streamed } from '../support/servers/sse.ts';

const several = needing(noRedis ?? noMongoDb);
const TASK_COUNT = 4;

async function logged({ api }: DaemonProcess, query = ''): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for (let path: string | undefined = `/events?limit=1000${query}`; path !== undefined; ) {
    const { status, headers, body } = await api('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    all.push(...body);
    path = /^<\/api\/current([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return all;
}

const define = (t: ExecutionContext, { api }: DaemonProcess) =>
  api('PUT', '/workflows/graphs', chain('Graph.Log', 'Task.Fixture.Write', `${folder(t)}/ledger`, 20, TASK_COUNT));

/** Each event once, by its id. */
const distinct = (events: readonly LoggedEvent[]) => [...new Map(events.map((event) => [event.id, event])).values()];

/** The log has all events of the workflow, from the first to the last, in order. */
function checkWorkflow(t: ExecutionContext, events: readonly LoggedEvent[], workflow: string): void {
  const own = distinct(events.filter(({ typeId }) => typeId === workflow));
  t.is(own[0]?.action, 'started', workflow);
  t.is(own.at(-1)?.action, 'finished', workflow);
  t.deepEqual(
    own.map(({ n }) => n),
    own.map((_, at) => at + 1),
    workflow,
  );
}

const isGrowing = (events: readonly { seq: number }[]) =>
  events.every(({ seq }, at) => at === 0 || seq > (events[at - 1]?.seq ?? 0));

async function finished(daemon: DaemonProcess, ids: readonly string[]): Promise<LoggedEvent[]> {
  await Promise.all(ids.map((id) => ended(daemon, id)));
  return seen(async () => {
    const events = await logged(daemon);
    const ends = new Set(events.filter(({ action }) => action === 'finished').map(({ typeId }) => typeId));
    return ids.every((id) => ends.has(id)) && events;
  });
}

anyTest.serial('a daemon that is killed again and again has logged every event, numbered without gaps', async (t) => {
  const daemon = await startDaemonProcess(t, { config: { ...folders, heartbeatIntervalSec: 0 } });
  const { url, posted } = await startReceiver(t);
  await daemon.api('POST', '/hooks', { url, filters: [{ type: '^graph$' }] });
  await define(t, daemon);
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    ids.push(...(await Promise.all(Array.from({ length: 6 }, () => launch(daemon, 'Graph.Log')))));
    const before = posted.all.length;
    await posted.until((all) => all.length >= before + 5 + 7 * round);
    await daemon.kill('SIGKILL');
    await daemon.start();
  }
  const events = await finished(daemon, ids);
  t.true(isGrowing(events));
  for (const id of ids) checkWorkflow(t, events, id);
  await posted.until((all) =>
    ids.every((id) => all.some(({ event }) => event.typeId === id && event.action === 'finished')),
  );
  const numbers = new Map(events.map(({ id, n }) => [id, n]));
  for (const { event } of posted.all) t.is(event.n, numbers.get(event.id), event.id);
});

several.serial('each of two daemons streams the events of both, and a reader continues on the other one', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const config = { ...folders, heartbeatIntervalSec: 0.2 };
  const one = await startDaemonProcess(t, { env, config });
  const two = await startDaemonProcess(t, { env, config });
  await define(t, one);
  const follow = (daemon: DaemonProcess, last?: number): Promise<EventReader> => {
    const { url, headers } = daemon.authorized('/events/stream?after=0');
    return readEvents(t, url, { ...headers, ...(last !== undefined && { 'last-event-id': String(last) }) });
  };
  const [ofOne, ofTwo] = [await follow(one), await follow(two)];
  const launchAll = (daemons: readonly DaemonProcess[]) =>
    Promise.all(
      Array.from({ length: 10 }, (_, n) => launch(daemons[n % daemons.length] as DaemonProcess, 'Graph.Log')),
    );
  const ids = await launchAll([one, two]);
  await ofOne.events.until((all) => all.filter(({ name }) => name === 'graph.finished').length >= 5);
  await one.kill('SIGKILL');
  t.false(await ofOne.ended);
  ids.push(...(await launchAll([two])));
  const events = await finished(two, ids);
  for (const id of ids) checkWorkflow(t, events, id);
  const last = events.at(-1)?.seq ?? 0;
  const graph = ({ name }: { name: string }) => name.startsWith('graph.');
  const upTo = (all: readonly Streamed[]) => all.filter((event) => event.seq <= last);

  const again = await follow(two, ofOne.events.all.at(-1)?.seq);
  const rest = await again.events.until((all) => (all.at(-1)?.seq ?? 0) >= last);
  const whole = await ofTwo.events.until((all) => (all.at(-1)?.seq ?? 0) >= last);
  const joined = [...ofOne.events.all, ...rest];
  t.true(isGrowing(joined));
  t.true(isGrowing(whole));
  t.deepEqual(
    upTo(joined).map(({ seq }) => seq),
    upTo(whole).map(({ seq }) => seq),
  );
  t.deepEqual(
    upTo(whole).map(({ data }) => data),
    events.filter(({ seq }) => seq <= last),
  );
  t.true(whole.filter(graph).length > ids.length * TASK_COUNT);
  // A stop ends streams in an orderly way.
  await two.kill('SIGTERM');
  t.true(await ofTwo.ended);
});
