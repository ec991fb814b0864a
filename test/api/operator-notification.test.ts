/** Notifications that users send instead of a node, on the real engine. */
import anyTest, { type TestFn } from 'ava';
import { API_PATH } from '../support/data/api-paths.ts';
import type { TestEngine } from '../support/engine/engine.ts';
import { openNotified, type Scene, scene } from '../support/engine/notifying.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openNotified();
});
test.after.always((t) => t.context.it?.close());

const [INSTALLED, BOOTED] = ['wait-os-installed', 'wait-os-booted'];

async function sender({ north, as, id }: Scene, role = 'Operator') {
  const token = await as(role);
  return (query = '', body: object = {}, headers: Record<string, string> = {}) =>
    north('POST', `${API_PATH}/workflows/${id}/notification${query}`, { token, headers, body });
}

test.serial(
  'a notification of a user completes the wait of its workflow, and listeners get it as that of the node',
  async (t) => {
    const it = t.context.it;
    const at = await scene(t, it);
    const send = await sender(at);
    const first = await send('', { disk: 'sda' });
    t.is(first.status, 201);
    t.deepEqual(first.body, { disk: 'sda', nodeId: at.node, task: INSTALLED });
    const row = await it.reached(at.id, BOOTED, 'waiting');
    t.deepEqual(row.tasks[0]?.output, first.body);
    t.deepEqual(
      it.events.filter(({ key }) => key === `notification.${at.node}`).map(({ body }) => body),
      [first.body],
    );
    t.is((await send()).status, 201);
    t.is((await it.finished(at.id)).status, 'succeeded');
    const target = `workflows/${at.id}`;
    const audited = (await it.engine.audit.list(0, 1_000)).filter((entry) => entry.target === target);
    t.deepEqual(
      audited.map(({ user, method, path, status }) => [user, method, path, status]),
      Array.from({ length: 2 }, () => ['Operator', 'POST', `${API_PATH}/${target}/notification`, 201]),
    );
  },
);

test.serial(
  'of many users who send it for one wait, one is answered 201, and none completes the next wait',
  async (t) => {
    const it = t.context.it;
    const at = await scene(t, it);
    const send = await sender(at);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`?label=${INSTALLED}`, { n })));
    t.is(all.filter(({ status }) => status === 201).length, 1);
    t.true(all.every(({ status }) => [200, 201, 409].includes(status)));
    await it.reached(at.id, BOOTED, 'waiting');
    const late = await send(`?label=${INSTALLED}`);
    t.is(late.status, 409);
    t.regex(late.body.message, /"wait-os-installed" does not wait for a notification; wait-os-booted waits/);
    t.is(await at.state(BOOTED), 'waiting');
  },
);

test.serial(
  'a repeat with the same Idempotency-Key is 200 with the first answer, also when the workflow has ended',
  async (t) => {
    const it = t.context.it;
    const at = await scene(t, it);
    const send = await sender(at);
    const key = (name: string) => ({ 'idempotency-key': name });
    const first = await send('', { n: 1 }, key('a'));
    await it.reached(at.id, BOOTED, 'waiting');
    const again = await send('', { n: 2 }, key('a'));
    t.deepEqual([first.status, again.status, again.body], [201, 200, first.body]);
    t.is(await at.state(BOOTED), 'waiting');
    t.is((await send('', {}, key('b'))).status, 201);
    await it.finished(at.id);
    t.is((await send('', {}, key('b'))).status, 200);
    t.is((await send('', {}, key('c'))).status, 409);
    t.is((await send('', {}, key('x'.repeat(257)))).status, 400);
  },
);

test.serial(
  'of several waits one must be named; a wait that only its callback completes can be completed too',
  async (t) => {
    const it = t.context.it;
    const side = await scene(t, it, 'Graph.Test.Side');
    await it.reached(side.id, 'a', 'waiting');
    await it.reached(side.id, 'b', 'waiting');
    const send = await sender(side);
    const unnamed = await send();
    t.is(unnamed.status, 409);
    t.regex(unnamed.body.message, /name one of a, b/);
    t.is((await send('?label=b', { n: 1 })).status, 201);
    t.like((await it.reached(side.id, 'b', 'succeeded')).tasks[1]?.output, { n: 1 });
    t.is(await side.state('a'), 'waiting');
    t.is((await send('?label=none')).status, 404);
    const only = await scene(t, it, 'Graph.Test.Only');
    await it.reached(only.id, 'only', 'waiting');
    t.is((await (await sender(only))()).status, 201);
    t.is((await it.finished(only.id)).status, 'succeeded');
  },
);

test.serial('the callback of the node is a repeat afterwards', async (t) => {
  const it = t.context.it;
  const at = await scene(t, it);
  const url = await at.callback(INSTALLED);
  const { body } = await (await sender(at))('', { from: 'user' });
  const callback = await at.south('POST', url, { body: { from: 'node' } });
  t.deepEqual([callback.status, callback.body], [200, body]);
  await it.reached(at.id, BOOTED, 'waiting');
});

test.serial(
  'it needs the right to change components, and a body that is an object; unknown workflows are 404',
  async (t) => {
    const at = await scene(t, t.context.it);
    t.is((await (await sender(at, 'ReadOnly'))()).status, 403);
    const send = await sender(at);
    t.is((await send('', [1])).status, 400);
    t.is((await send('?labels=x')).status, 400);
    t.is((await (await sender({ ...at, id: 'none' }))()).status, 404);
    t.is(await at.state(INSTALLED), 'waiting');
  },
);

test.serial('why suggests the notification, and its path can be requested', async (t) => {
  const it = t.context.it;
  const { id, north, as } = await scene(t, it);
  const token = await as('Operator');
  const { body } = await north('GET', `${API_PATH}/workflows/${id}/why`, { token });
  const found = body.suggestions.find(({ action }: { action: string }) => action === 'notify');
  t.like(found, { method: 'POST', path: `${API_PATH}/workflows/${id}/notification?label=${INSTALLED}` });
  t.is((await north(found.method, found.path, { token, body: {} })).status, 201);
  await it.reached(id, BOOTED, 'waiting');
});
