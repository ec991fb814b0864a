/** POST /workflows/graphs/check: the findings about a graph before it is put. */
import test from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

let it: TestEngine;
test.before(async () => {
  it = await openEngine();
});
test.after.always(() => it?.close());

const checkOf = async (t: Parameters<typeof serve>[0]) => {
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  return {
    send,
    check: async (body: object) => send('POST', '/api/current/workflows/graphs/check', { body }),
  };
};

const list = (name: string, more: object = {}) => ({
  friendlyName: 'Checked',
  injectableName: name,
  tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification', ...more }],
});

test('a valid graph has its warnings and counts, and nothing is changed', async (t) => {
  const { send, check } = await checkOf(t);
  const { status, body } = await check(list('Graph.Checked'));
  t.is(status, 200);
  t.like(body, { ok: true, name: 'Graph.Checked', errors: [] });
  t.deepEqual(
    body.warnings.map(({ code, label }: Record<string, string>) => [code, label]),
    [['NO_TIMEOUT', 'wait']],
  );
  t.deepEqual(body.explored, { configurations: 3, ends: 2, succeeded: 1, failed: 1 });
  t.is((await send('GET', '/api/current/workflows/graphs/Graph.Checked')).status, 404);
});

test('a PUT answers the same definition as before, with the codes of the warnings in a header', async (t) => {
  const { send } = await checkOf(t);
  const warned = await send('PUT', '/api/current/workflows/graphs', { body: list('Graph.Put.Warned') });
  t.deepEqual(warned.body, list('Graph.Put.Warned'));
  t.is(warned.headers.get('x-warnings'), 'NO_TIMEOUT label=wait');
  const fine = list('Graph.Put.Fine', { optionOverrides: { _taskTimeout: 1_000 } });
  const put = await send('PUT', '/api/current/workflows/graphs', { body: fine });
  t.is(put.status, 201);
  t.is(put.headers.get('x-warnings'), null);
});

test('a rejected graph has all that is wrong, whatever its form, and a PUT rejects it too', async (t) => {
  const { send, check } = await checkOf(t);
  const wrong: [object, string[]][] = [
    [{}, ['injectableName']],
    [{ injectableName: 'Graph.X' }, ['friendlyName', 'tasks']],
    [
      { ...list('Graph.X', { taskName: 'Task.None', waitOn: { b: 'failed' } }), options: { c: {} } },
      ['tasks.0.waitOn.b', 'tasks.0.taskName'],
    ],
    [
      { ...list('Graph.X'), machine: { initial: 'a', states: { a: { on: { X: 'b' } } } }, tasks: { x: 'Task.noop' } },
      ['machine.states.a.on', 'tasks.x'],
    ],
  ];
  for (const [body, paths] of wrong) {
    const answer = await check(body);
    t.is(answer.status, 200, JSON.stringify(body));
    t.false(answer.body.ok);
    const found = answer.body.errors.map(({ path }: { path: string }) => path);
    for (const path of paths) t.true(found.includes(path), `${path} in ${JSON.stringify(answer.body.errors)}`);
    t.true([400, 409].includes((await send('PUT', '/api/current/workflows/graphs', { body })).status));
  }
});

test('what is no object is 400', async (t) => {
  const { check } = await checkOf(t);
  t.is((await check([])).status, 400);
});
