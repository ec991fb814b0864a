/** `task=`, `nonce=` and `Idempotency-Key` of notifications, on the real engine. */
import anyTest, { type TestFn } from 'ava';
import { API_PATH } from '../support/data/api-paths.ts';
import type { TestEngine } from '../support/engine/engine.ts';
import { INSTALL, openNotified, scene } from '../support/engine/notifying.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openNotified();
});
test.after.always((t) => t.context.it?.close());

const [INSTALLED, BOOTED] = ['wait-os-installed', 'wait-os-booted'];

test('a repeated bare notification completes the next wait too', async (t) => {
  const { it, id, node, notify } = await scene(t, t.context.it);
  for (const _ of [1, 2]) t.is((await notify(`?nodeId=${node}`)).status, 201);
  t.is((await it.finished(id)).status, 'succeeded');
});

for (const [how, query, headers] of [
  ['nonce=', '&nonce=disk-1', {}],
  ['the header Idempotency-Key', '', { 'idempotency-key': 'disk-1' }],
] as const) {
  test(`with ${how} a repeat is answered 200 with the first answer, and completes nothing else`, async (t) => {
    const { it, id, node, notify, state } = await scene(t, t.context.it);
    const first = await notify(`?nodeId=${node}${query}`, { disk: 'sda' }, headers);
    t.is(first.status, 201);
    t.is(first.body.disk, 'sda');
    await it.reached(id, BOOTED, 'waiting');
    for (const body of [{ disk: 'sda' }, { disk: 'sdb' }, {}]) {
      const again = await notify(`?nodeId=${node}${query}`, body, headers);
      t.deepEqual([again.status, again.body], [200, first.body]);
    }
    t.is(await state(BOOTED), 'waiting');
    const heard = it.events.filter(({ key }) => key === `notification.${node}`);
    t.is(heard.length, 1, 'listeners get it once');
    t.deepEqual(heard[0]?.body, first.body);
    t.is((await notify(`?nodeId=${node}&nonce=other`)).status, 201);
    t.is((await it.finished(id)).status, 'succeeded');
  });
}

test('exactly one of many concurrent notifications with one nonce is answered 201, and all have the same body', async (t) => {
  const { it, id, node, notify, state } = await scene(t, t.context.it);
  const all = await Promise.all(Array.from({ length: 30 }, (_, n) => notify(`?nodeId=${node}&nonce=x`, { n })));
  t.is(all.filter(({ status }) => status === 201).length, 1);
  t.true(all.every(({ status }) => status === 200 || status === 201));
  t.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  await it.reached(id, BOOTED, 'waiting');
  t.is(await state(INSTALLED), 'succeeded');
  t.is(await state(BOOTED), 'waiting');
});

for (const [what, query] of [
  ['', '&nonce=last'],
  [' that names a task', `&nonce=last&task=${BOOTED}`],
] as const) {
  test(`the repeat of a notification${what} that ended the workflow is answered 200, and is not published`, async (t) => {
    const { it, id, node, notify } = await scene(t, t.context.it);
    t.is((await notify(`?nodeId=${node}`)).status, 201);
    await it.reached(id, BOOTED, 'waiting');
    const ask = (n: number) => notify(`?nodeId=${node}${query}`, { n });
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)));
    t.is((await it.finished(id)).status, 'succeeded');
    await it.until(async () => (await it.engine.workflows.activeOn(node)) === undefined);
    all.push(await ask(20));
    t.is(all.filter(({ status }) => status === 201).length, 1);
    t.is(all.filter(({ status }) => status === 200).length, 20);
    t.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
    t.is(it.events.filter(({ key }) => key === `notification.${node}`).length, 2);
  });
}

test('a nonce is valid within a workflow: the next one on the node accepts it again', async (t) => {
  const { it, id, node, notify } = await scene(t, t.context.it);
  t.is((await notify(`?nodeId=${node}&nonce=x`)).status, 201);
  await it.engine.control.cancel(id);
  await it.finished(id);
  await it.until(async () => (await it.engine.workflows.activeOn(node)) === undefined);
  t.is((await notify(`?nodeId=${node}&nonce=x`)).status, 200, 'a repeat may come late');
  for (const _ of [1, 2]) t.is((await notify(`?nodeId=${node}&nonce=y`)).status, 201, 'nothing is active');
  const next = await it.launch(INSTALL, {}, node);
  t.is((await notify(`?nodeId=${node}&nonce=x`)).status, 201);
  t.is((await notify(`?nodeId=${node}&nonce=x`)).status, 200);
  await it.reached(next.id, BOOTED, 'waiting');
});

test('a nonce is one text of at most 256 characters, the same in query, body and header', async (t) => {
  const { node, notify } = await scene(t, t.context.it, 'Graph.Test.Only');
  const at = `?nodeId=${node}`;
  t.is((await notify(`${at}&nonce=`)).status, 400);
  t.is((await notify(`${at}&nonce=a&nonce=b`)).status, 400);
  t.is((await notify(at, { nonce: 5 })).status, 400);
  t.is((await notify(`${at}&nonce=${'x'.repeat(257)}`)).status, 400);
  t.is((await notify(at, {}, { 'idempotency-key': 'x'.repeat(257) })).status, 400);
  t.is((await notify(`${at}&nonce=a`, {}, { 'idempotency-key': 'b' })).status, 400);
  t.is((await notify(`${at}&nonce=${'x'.repeat(256)}`)).status, 201);
  t.is((await notify(`${at}&nonce=a`, {}, { 'idempotency-key': 'a' })).status, 201);
  t.is((await notify(at, { nonce: 'a' })).status, 200);
  t.is((await notify(at, {}, { 'idempotency-key': 'a' })).status, 200);
});

test('a notification with task= is delivered only to the wait with that label', async (t) => {
  const { it, id, node, notify, state } = await scene(t, t.context.it, 'Graph.Test.Side');
  await it.reached(id, 'b', 'waiting');
  t.is((await notify(`?nodeId=${node}&task=b`, { n: 1 })).status, 201);
  const row = await it.reached(id, 'b', 'succeeded');
  t.like(row.tasks[1]?.output, { n: 1, task: 'b' });
  t.is(await state('a'), 'waiting');
});

test('a notification with task= is kept for a label without a wait', async (t) => {
  const { it, id, node, notify, state } = await scene(t, t.context.it);
  for (const n of [1, 2]) t.is((await notify(`?nodeId=${node}`, { task: BOOTED, n })).status, 201);
  t.is(await state(INSTALLED), 'waiting');
  t.is((await notify(`?nodeId=${node}`, { bare: true })).status, 201);
  const row = await it.finished(id);
  t.like(row.tasks[0]?.output, { bare: true });
  t.like(row.tasks[1]?.output, { n: 1 });
});

test('task= with a label that no workflow on the node has is 404, and so is task= on an idle node', async (t) => {
  const { it, node, notify, state } = await scene(t, t.context.it);
  const unknown = await notify(`?nodeId=${node}&task=elsewhere`);
  t.is(unknown.status, 404);
  t.is(
    unknown.body.message,
    `No active workflow on the node has a task with the label "elsewhere"; expected one of ${INSTALLED}, ${BOOTED}`,
  );
  t.is((await notify(`?nodeId=${node}&task=`)).status, 400);
  t.is((await notify(`?nodeId=${node}`, { task: ['a'] })).status, 400);
  t.is(await state(INSTALLED), 'waiting');
  t.is(it.events.filter(({ key }) => key === `notification.${node}`).length, 0);
  const idle = await it.node();
  t.is((await notify(`?nodeId=${idle.id}&task=${INSTALLED}`)).status, 404);
  t.is((await notify(`?nodeId=${idle.id}`)).status, 201, 'a bare one is published');
});

test("task= reaches a child that shares its parent's node", async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Parent',
    tasks: [
      { label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: INSTALL } },
      { label: 'own', taskName: 'Task.Wait.Notification' },
    ],
  });
  const { id, node, notify } = await scene(t, it, 'Graph.Test.Parent');
  await it.until(async () => (await notify(`?nodeId=${node}&task=${BOOTED}&nonce=1`)).status !== 404);
  for (const label of [INSTALLED, 'own']) {
    t.is((await notify(`?nodeId=${node}&task=${label}`, { label })).status, 201);
  }
  const row = await it.finished(id);
  t.like(row.tasks[0]?.output, { output: { installed: { label: INSTALLED } } });
  t.like(row.tasks[1]?.output, { label: 'own' });
});

test.serial(
  'each workflow accepts a broadcast with a nonce once, and only waits with its label accept a labelled one',
  async (t) => {
    const one = await scene(t, t.context.it, 'Graph.Test.Side');
    const two = await scene(t, t.context.it, 'Graph.Test.Side');
    for (const _ of [1, 2]) t.is((await one.notify('?task=b&nonce=all')).status, 201);
    for (const { it, id, state } of [one, two]) {
      await it.reached(id, 'b', 'succeeded');
      t.is(await state('a'), 'waiting');
    }
    for (const _ of [1, 2]) t.is((await one.notify('?nonce=more')).status, 201);
    for (const { it, id } of [one, two]) t.is((await it.finished(id)).status, 'succeeded');
  },
);

test('a body of more than 64 KiB is 413, also for a callback', async (t) => {
  const { it, node, notify, callback, south, state } = await scene(t, t.context.it);
  const body = { text: 'x'.repeat(65_536) };
  t.is((await notify(`?nodeId=${node}&nonce=a`, body)).status, 413);
  t.is((await south('POST', await callback(INSTALLED), { body })).status, 413);
  t.is(await state(INSTALLED), 'waiting');
  t.is((await notify(`?nodeId=${node}&nonce=a`, { text: 'x'.repeat(60_000) })).status, 201, 'nothing was remembered');
  t.is(it.events.filter(({ key }) => key === `notification.${node}`).length, 1);
  t.is((await south('GET', `${API_PATH}/notification?nodeId=${node}`)).status, 405);
});
