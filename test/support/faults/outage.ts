/**
 * Two working daemons during an outage of something that they need: running workflows, clients that constantly launch,
 * query and notify, and a listener. Afterwards all answers are compared with the outcome.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { folder } from '../ava/folder.ts';
import { WAIT_MS } from '../ava/patience.ts';
import type { DaemonProcess } from '../servers/daemon.ts';
import type { Fleet } from '../servers/fleet.ts';
import { type Heard, type Hearing, listenOn, wronglyTold } from '../servers/hearing.ts';
import {
  type Answered,
  allSucceed,
  Clients,
  chain,
  checkAnswers,
  ended,
  idsOf,
  launch,
  lines,
  noneTwice,
  written,
} from './workload.ts';

const TASKS = 3;
const ACT_MS = 300;
/** More than the number of notifications that a test sends during an outage. */
const WAITS = 100;

interface Graphs {
  again: string;
  once: string;
  waits: string;
}

/** @param during starts and ends the outage. @returns the statuses that clients got, by request */
export async function outage(
  t: ExecutionContext,
  fleet: Fleet,
  during: () => Promise<void>,
): Promise<Record<string, number[]>> {
  const [first, second] = fleet.daemons as [DaemonProcess, DaemonProcess];
  const home = folder(t);
  const graphs = await putGraphs(first, home, (t.title.match(/\w+/g) ?? []).join('-'));
  const hearing = await listenOn(t, fleet.rabbitmq.url);
  const begun = await Promise.all(
    Array.from({ length: 8 }, (_, n) => launch(n % 2 ? first : second, n % 4 < 2 ? graphs.once : graphs.again)),
  );
  const { body: node } = await first.api('POST', '/nodes', { type: 'compute', name: 'n' });
  const { body: waits } = await first.api('POST', `/nodes/${node.id}/workflows?name=${graphs.waits}`, {});
  await written(join(home, 'once'), 2);

  const clients = new Clients({
    'launch on one': () => first.api('POST', `/workflows?name=${graphs.once}`, {}),
    'launch on the other': (n) => second.api('POST', `/workflows?name=${n % 2 ? graphs.once : graphs.again}`, {}),
    get: (n) => (n % 2 ? first : second).api('GET', `/workflows/${begun[0]}`),
    notify: (n) => (n % 2 ? first : second).southbound('POST', `/notification?nodeId=${node.id}&n=${n}`),
  });
  await during();
  const answers = await clients.stop();

  const statuses = byWhat(t, answers);
  const ids = [...begun, ...idsOf(answers)];
  await allSucceed(t, first, ids);
  await noneTwice(t, join(home, 'once'));
  await allDone(t, first, ids, home);
  await allNotified(t, first, waits.id, answers);
  await allTold(t, hearing, ids);
  await drained(t, fleet);
  return statuses;
}

async function putGraphs({ api }: DaemonProcess, home: string, name: string): Promise<Graphs> {
  const graphs = { again: `Graph.Again.${name}`, once: `Graph.Once.${name}`, waits: `Graph.Waits.${name}` };
  const waits = Array.from({ length: WAITS }, (_, n) => ({
    label: `w${n}`,
    taskName: 'Task.Wait.Notification',
    ...(n === 0 ? {} : { waitOn: { [`w${n - 1}`]: 'succeeded' } }),
  }));
  for (const graph of [
    chain(graphs.again, 'Task.Fixture.Write', join(home, 'again'), ACT_MS, TASKS),
    chain(graphs.once, 'Task.Fixture.WriteOnce', join(home, 'once'), ACT_MS, TASKS),
    { friendlyName: 'waits', injectableName: graphs.waits, tasks: waits },
  ]) {
    const { status, body } = await api('PUT', '/workflows/graphs', graph);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  return graphs;
}

function byWhat(t: ExecutionContext, answers: readonly Answered[]): Record<string, number[]> {
  const whats = [...new Set(answers.map(({ what }) => what))];
  return Object.fromEntries(
    whats.map((what) => {
      const own = answers.filter((answer) => answer.what === what);
      return [what, checkAnswers(t, own, what === 'get' ? [200] : [201])];
    }),
  );
}

/** Each task of each succeeded workflow has a line in a ledger. */
async function allDone(t: ExecutionContext, { api }: DaemonProcess, ids: readonly string[], home: string) {
  const done = new Set([...(await lines(join(home, 'once'))), ...(await lines(join(home, 'again')))]);
  for (const id of ids) {
    const { body } = await api('GET', `/workflows/${id}`);
    for (const { label, instanceId } of body.tasks) t.true(done.has(instanceId), `${id} ${label} was not done`);
  }
}

/** Each notification that was answered 201 was delivered to exactly one task. */
async function allNotified(t: ExecutionContext, daemon: DaemonProcess, id: string, answers: readonly Answered[]) {
  const acknowledged = answers.flatMap(({ what, status, body }) =>
    what === 'notify' && status === 201 ? [body.n] : [],
  );
  let given: unknown[] = [];
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await setTimeout(50)) {
    const { body } = await daemon.api('GET', `/workflows/${id}`);
    given = (body.tasks ?? []).flatMap(({ output }: { output: { n?: string } | null }) => (output ? [output.n] : []));
    if (acknowledged.every((n) => given.includes(n))) break;
  }
  t.deepEqual(
    acknowledged.filter((n) => !given.includes(n)),
    [],
  );
  t.is(new Set(given).size, given.length);
  await daemon.api('PUT', `/workflows/${id}/action`, { command: 'cancel' });
  t.is((await ended(daemon, id)).status, 'cancelled');
}

async function allTold(t: ExecutionContext, hearing: Hearing<Heard>, ids: readonly string[]): Promise<void> {
  const all = hearing.until((heard) => wronglyTold(heard, ids).length === 0);
  await Promise.race([all, setTimeout(WAIT_MS, undefined, { ref: false })]);
  t.deepEqual(wronglyTold(hearing.all, ids), []);
}

async function drained(t: ExecutionContext, { waiting }: Fleet): Promise<void> {
  let left = await waiting();
  for (const until = Date.now() + WAIT_MS; left > 0 && Date.now() < until; left = await waiting()) {
    await setTimeout(200);
  }
  t.is(left, 0, 'events remain unpublished');
}
