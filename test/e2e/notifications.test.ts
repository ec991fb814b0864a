/** Notifications that are repeated over kills and over several daemons: each nonce takes effect once. */
import { setTimeout } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { ended, seen } from '../support/faults/workload.ts';
import type { Answer } from '../support/servers/api.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { type Heard, type Hearing, listenOn, once } from '../support/servers/hearing.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { startProxy, type Proxy as TcpProxy } from '../support/servers/proxy.ts';
import { noRabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noRedis ?? noRabbitMq ?? noMongoDb);

interface Two {
  one: DaemonProcess;
  /** It reaches MongoDB through the proxy. */
  victim: DaemonProcess;
  proxy: TcpProxy;
  heard: Hearing<Heard>;
}

/** Two daemons on the same servers. */
const two = shared(async (file): Promise<Two> => {
  const servers = await Promise.all([startRedis(), openMongoDb(), startRabbitMq()]);
  file.teardown(() => Promise.all(servers.map((server) => server.stop())));
  const [redis, mongodb, rabbit] = servers;
  const heard = await listenOn(file, rabbit.url);
  const proxy = await startProxy(Number(new URL(redis.url).port));
  file.teardown(() => proxy.stop());
  const through = new URL(redis.url);
  through.port = String(proxy.port);
  const env = { MONGODB_URL: mongodb.url, AMQP_URL: rabbit.url };
  const one = await startDaemonProcess(file, { env: { ...env, REDIS_URL: redis.url } });
  const victim = await startDaemonProcess(file, { env: { ...env, REDIS_URL: through.href } });
  return { one, victim, proxy, heard };
});

const INSTALL = 'Graph.Demo.InstallOs';
const [INSTALLED, BOOTED] = ['wait-os-installed', 'wait-os-booted'];

interface Task {
  label: string;
  state: string;
  callback: string | null;
  output: unknown;
}

async function install({ api }: DaemonProcess): Promise<{ node: string; id: string; callbacks: string[] }> {
  const { body: node } = await api('POST', '/nodes', { type: 'compute', name: 'n' });
  const { body } = await api('POST', `/nodes/${node.id}/workflows?name=${INSTALL}`, {});
  const tasks = body.tasks as Task[];
  return {
    node: node.id,
    id: body.id,
    callbacks: tasks.map(({ callback }) => (callback ?? '').replace(/.*current/, '')),
  };
}

async function reached({ api }: DaemonProcess, id: string, label: string, state: string): Promise<Task[]> {
  return seen(async () => {
    const tasks = (await api('GET', `/workflows/${id}`)).body.tasks as Task[];
    return tasks.some((task) => task.label === label && task.state === state) && tasks;
  });
}

/** Like a client that does not know whether its request arrived. */
async function until({ southbound }: DaemonProcess, path: string, body: object): Promise<Answer> {
  return seen(async () => {
    const answer = await southbound('POST', path, body);
    return answer.status < 300 && answer;
  });
}

test.serial(
  'one of several concurrent equal nonces to several daemons takes effect, and all answers are equal',
  async (t) => {
    const { one, victim } = await two();
    const all = [one, victim] as const;
    for (let round = 0; round < 2; round += 1) {
      const { node, id, callbacks } = await install(all[0]);
      await check(t, id, INSTALLED, (n) =>
        all[n % 2 ? 1 : 0].southbound('POST', `/notification?nodeId=${node}&nonce=x`, { n }),
      );
      await check(t, id, BOOTED, (n) => all[n % 2 ? 1 : 0].southbound('POST', callbacks[1] ?? '', { n }));
      t.is((await ended(all[1], id)).status, 'succeeded');
    }

    async function check(t: ExecutionContext, id: string, label: string, ask: (n: number) => Promise<Answer>) {
      await reached(all[1], id, label, 'waiting');
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n)));
      t.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
      t.is(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
      const tasks = await reached(all[0], id, label, 'succeeded');
      t.deepEqual(tasks.find((task) => task.label === label)?.output, answers[0]?.body);
      if (label === INSTALLED) t.is((await reached(all[0], id, BOOTED, 'waiting')).length, 2);
    }
  },
);

for (const [what, pathOf, nonceIn] of [
  ['a nonce', ({ node }) => `/notification?nodeId=${node}&nonce=once-only`, () => 'nonce once-only'],
  ['a callback', ({ callbacks }) => callbacks[0] ?? '', ({ id }) => `callback ${id} 1 ${INSTALLED}`],
] as [string, (of: Awaited<ReturnType<typeof install>>) => string, (of: { id: string }) => string][]) {
  test.serial(
    `a daemon that is killed between the save of ${what} and its answer has accepted it: the repeat changes nothing`,
    async (t) => {
      const { one: other, victim, proxy, heard } = await two();
      const made = await install(other);
      await reached(victim, made.id, INSTALLED, 'waiting');
      const lost = proxy.loseAnswerTo(nonceIn(made));
      const asked = victim.southbound('POST', pathOf(made), { n: 1 }).then(
        () => 'answered',
        () => 'not answered',
      );
      await lost;
      await victim.kill('SIGKILL');
      t.is(await asked, 'not answered');
      const again = await until(other, pathOf(made), { n: 2 });
      t.is(again.status, 200);
      t.is(again.body.n, 1, 'the first one was saved, so its answer is given');
      const tasks = await reached(other, made.id, BOOTED, 'waiting');
      t.like(tasks[0]?.output, { n: 1 });
      for (const _ of [1, 2]) t.is((await other.southbound('POST', pathOf(made), {})).status, 200);
      // Its effects run in the remaining daemon: they were saved with the step that accepted it.
      const own = (all: readonly { id: string; key: string }[]) =>
        once(all.filter(({ key }) => key === `notification.${made.node}`));
      t.is(own(await heard.until((all) => own(all).length > 0)).length, 1);
      t.like((await reached(other, made.id, BOOTED, 'waiting'))[1], { label: BOOTED, state: 'waiting' });
      t.is((await other.southbound('POST', made.callbacks[1] ?? '', {})).status, 201);
      t.is((await ended(other, made.id)).status, 'succeeded');
      await victim.start();
    },
  );
}

anyTest(
  'a daemon that is killed at any moment around a nonce accepts it once, whatever the client repeats',
  async (t) => {
    const daemon = await startDaemonProcess(t);
    for (let round = 0; round < 3; round += 1) {
      const { node, id } = await install(daemon);
      const path = `/notification?nodeId=${node}&nonce=n${round}`;
      const first = daemon.southbound('POST', path, { round }).catch(() => undefined);
      await setTimeout(round * 12);
      await daemon.kill('SIGKILL');
      await first;
      await daemon.start();
      for (const _ of [1, 2]) t.true((await until(daemon, path, { round })).status <= 201);
      const tasks = await reached(daemon, id, BOOTED, 'waiting');
      t.like(tasks[0]?.output, { round });
      t.is((await daemon.southbound('POST', path, {})).status, 200);
      t.is((await daemon.southbound('POST', `/notification?nodeId=${node}&task=${BOOTED}`, {})).status, 201);
      t.is((await ended(daemon, id)).status, 'succeeded');
    }
  },
);
