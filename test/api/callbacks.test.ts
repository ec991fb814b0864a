/** Callbacks of task runs, on the real engine: the wait that one completes, and the effect of a repeat. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { openNotified, scene } from '../support/engine/notifying.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

let it: TestEngine;
test.before(async () => {
  it = await openNotified();
});
test.after.always(() => it?.close());

const [INSTALLED, BOOTED] = ['wait-os-installed', 'wait-os-booted'];

for (const method of ['GET', 'POST']) {
  test(`a callback by ${method} completes its task run; a repeat is 200 with the first answer and completes nothing else`, async (t) => {
    const { id, node, south, callback, state } = await scene(t, it);
    const url = await callback(INSTALLED);
    t.regex(url, /^\/api\/current\/notification\/callback\?nonce=[\w.-]+$/);
    const first = await south(method, `${url}&disk=sda`);
    t.is(first.status, 201);
    t.deepEqual(first.body, { disk: 'sda', nodeId: node, task: INSTALLED });
    const row = await it.reached(id, BOOTED, 'waiting');
    t.deepEqual(row.tasks[0]?.output, first.body);
    for (const again of [await south(method, url), await south('GET', url), await south('POST', `${url}&disk=sdb`)]) {
      t.deepEqual([again.status, again.body], [200, first.body]);
    }
    t.is(await state(BOOTED), 'waiting');
    t.is(it.events.filter(({ key }) => key === `notification.${node}`).length, 1);
    const second = await callback(BOOTED);
    t.not(second, url);
    t.is((await south(method, second)).status, 201);
    t.is((await it.finished(id)).status, 'succeeded');
    for (const each of [url, second]) t.is((await south(method, each)).status, 200, 'its workflow has ended');
  });
}

test('all callbacks of an installation are available at its begin, and can be called in any order, any number of times', async (t) => {
  const { id, south, callback, state } = await scene(t, it);
  const [installed, booted] = [await callback(INSTALLED), await callback(BOOTED)];
  t.deepEqual([(await south('GET', booted)).status, (await south('GET', booted)).status], [201, 200]);
  t.is(await state(INSTALLED), 'waiting');
  const all = await Promise.all(Array.from({ length: 20 }, () => south('POST', installed)));
  t.is(all.filter(({ status }) => status === 201).length, 1);
  t.is((await it.finished(id)).status, 'succeeded');
});

test('a bare notification keeps its meaning beside callbacks', async (t) => {
  const { id, node, south, callback, notify } = await scene(t, it);
  const url = await callback(INSTALLED);
  t.is((await notify(`?nodeId=${node}`)).status, 201);
  await it.reached(id, BOOTED, 'waiting');
  t.is((await south('GET', url)).status, 200, 'its task run has ended');
  t.is((await it.get(id)).tasks[1]?.state, 'waiting');
});

test('a task with callbackOnly accepts only its callback', async (t) => {
  const { id, node, south, callback, notify, state } = await scene(t, it, 'Graph.Test.Only');
  for (const query of ['', '&task=only', '&nonce=1']) t.is((await notify(`?nodeId=${node}${query}`)).status, 201);
  t.is(await state('only'), 'waiting');
  t.is((await south('GET', await callback('only'))).status, 201);
  t.is((await it.finished(id)).status, 'succeeded');
  const rejected = it.launch('Graph.Test.Only', { only: { callbackOnly: 'yes' } });
  await t.throwsAsync(rejected, { message: /options.only.callbackOnly/ });
});

test('a workflow without a node has callbacks, too', async (t) => {
  const { south } = await scene(t, it, 'Graph.Test.Only');
  const { id } = await it.launch('Graph.Test.Only');
  const url = ((await it.get(id)).tasks[0]?.callback ?? '').replace(/^http:..[^/]+/, '');
  const answer = await south('POST', url, { body: { n: 1 } });
  t.deepEqual([answer.status, answer.body], [201, { n: 1, task: 'only' }]);
  t.is((await it.finished(id)).status, 'succeeded');
  t.is((await south('POST', url)).status, 200);
});

test('a nonce of no workflow is 404, and a missing nonce is 400', async (t) => {
  const { id, node, south, callback, notify, state } = await scene(t, it);
  const url = await callback(INSTALLED);
  for (const wrong of [
    `${url}A`,
    url.slice(0, -2),
    `${url.slice(0, -1)}_`,
    '/api/current/notification/callback?nonce=x',
  ]) {
    if (wrong === url) continue;
    t.is((await south('GET', wrong)).status, 404, wrong);
  }
  t.is((await south('GET', '/api/current/notification/callback')).status, 400);
  t.is((await south('GET', `${url}&nonce=b`)).status, 400);
  const nonce = url.split('nonce=')[1];
  t.is((await notify(`?nodeId=${node}&nonce=${nonce}`)).status, 400, 'a callback has its own URL');
  t.is(await state(INSTALLED), 'waiting');
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.is((await south('GET', url)).status, 200);
  t.true(await it.engine.control.remove(id));
  t.is((await south('GET', url)).status, 404);
});

test('options name the callbacks of other tasks; an unknown or ambiguous name is rejected before the launch', async (t) => {
  const run = (commands: string) => it.launch('Graph.Test.Agent', { run: { commands } });
  await t.notThrowsAsync(run('curl {{ task.callback }} {{ task.callbacks.wait }}'));
  await t.throwsAsync(run('curl {{ task.callbacks.nowhere }}'), { message: /has no value/ });
  await it.engine.library.putGraph({
    friendlyName: 'Two waits',
    injectableName: 'Graph.Test.Two',
    tasks: [
      { label: 'a', taskName: 'Task.Wait.Notification' },
      { label: 'b', taskName: 'Task.Wait.Notification' },
      { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: 'true' } },
    ],
  });
  const unclear = it.launch('Graph.Test.Two', { run: { commands: 'curl {{ task.callback }}' } });
  await t.throwsAsync(unclear, { message: /options.run.commands: template '{{ task.callback }}' has no value/ });
});

/** How installers fetch a URL, each twice. */
const clients: Record<string, string[][]> = {
  curl: [['curl', '-sf', '--retry', '2']],
  wget: [
    ['wget', '-q', '-O', '-'],
    ['wget', '-q', '-O', '-', '--post-data='],
  ],
  busybox: [['busybox', 'wget', '-q', '-O', '-']],
};

for (const [program, commands] of Object.entries(clients)) {
  const missing = onPath(program) === undefined ? `${program} is not installed` : undefined;
  needing(missing).serial(`${program} fetches a callback, and may repeat it`, async (t) => {
    for (const [command = '', ...args] of commands) {
      const { id, port, callback } = await scene(t as never, it, 'Graph.Test.Only');
      const url = `http://127.0.0.1:${port}${await callback('only')}`;
      const answers = [];
      for (const _ of [1, 2]) answers.push((await promisify(execFile)(command, [...args, url])).stdout);
      t.like(JSON.parse(answers[0] ?? ''), { task: 'only' });
      t.is(answers[0], answers[1]);
      t.is((await it.finished(id)).status, 'succeeded');
    }
  });
}

test('a callback that one attempt of a task run accepted is a repeat in the next; an unaccepted one is accepted then', async (t) => {
  const own = await openEngine({ tasks: [...['tasks', 'fixtures/tasks'].map((name) => `${process.cwd()}/${name}`)] });
  t.teardown(() => own.close());
  await own.engine.library.putGraph({
    friendlyName: 'Again',
    injectableName: 'Graph.Test.Again',
    tasks: [{ label: 'again', taskName: 'Task.Fixture.WaitAgain' }],
  });
  const early = await scene(t, own, 'Graph.Test.Again', { again: { fails: 'before' } });
  const url = await early.callback('again');
  await own.until(async () => (await early.row()).tasks[0]?.attempts === 2);
  t.is(await early.callback('again'), url, 'the same in each attempt');
  t.is((await early.south('GET', url)).status, 201);
  t.is((await own.finished(early.id)).status, 'succeeded');

  const late = await scene(t, own, 'Graph.Test.Again', { again: { fails: 'after' } });
  const other = await late.callback('again');
  t.is((await late.south('GET', other)).status, 201);
  await own.until(async () => (await late.row()).tasks[0]?.attempts === 2);
  await own.reached(late.id, 'again', 'waiting');
  t.is((await late.south('GET', other)).status, 200);
  t.is(await late.state('again'), 'waiting');
  await late.notify(`?nodeId=${late.node}&task=again`);
  t.is((await own.finished(late.id)).status, 'succeeded');
});
