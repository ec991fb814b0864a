import test from 'ava';
import { northbound, openApi, southbound } from '../support/servers/api.ts';

test('a notification merges query and body, and reaches the node', async (t) => {
  const { send, engine } = await openApi(t, southbound);
  const node = await engine.nodes.create({ type: 'compute', name: 'n' });
  const path = `/api/current/notification?nodeId=${node.id}&progress=50`;
  const { status, body } = await send('POST', path, { body: { status: 'done' } });
  t.is(status, 201);
  t.deepEqual(body, { nodeId: node.id, progress: '50', status: 'done' });
  t.deepEqual(engine.heard, [{ parameters: body, nodeId: node.id }]);
});

test('a notification reads the id of its node only, not its workflows, of which there may be thousands', async (t) => {
  const { send, engine } = await openApi(t, southbound);
  const node = await engine.nodes.create({ type: 'compute', name: 'n' });
  engine.nodes.find = () => Promise.reject(new Error('the whole record was read'));
  t.is((await send('POST', `/api/current/notification?nodeId=${node.id}`)).status, 201);
});

test('a notification without nodeId is a broadcast, with or without a body', async (t) => {
  const { send, engine } = await openApi(t, southbound);
  t.is((await send('POST', '/api/2.0/notification')).status, 201);
  t.deepEqual(engine.heard, [{ parameters: {}, nodeId: undefined }]);
});

test('a nodeId that is empty, repeated, unknown or not a string is rejected', async (t) => {
  const { send, engine } = await openApi(t, southbound);
  t.is((await send('POST', '/api/2.0/notification?nodeId=')).status, 400);
  t.is((await send('POST', '/api/2.0/notification?nodeId=a&nodeId=b')).status, 400);
  for (const nodeId of ['', 5, null, ['a']]) {
    t.is((await send('POST', '/api/2.0/notification', { body: { nodeId } })).status, 400);
  }
  t.is((await send('POST', '/api/2.0/notification?nodeId=none')).status, 404);
  t.deepEqual(engine.heard, []);
});

test('progress is accepted by GET with 200 and by POST with 201', async (t) => {
  const { send, engine } = await openApi(t, southbound);
  const row = await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: null });
  const path = `/api/current/notification/progress?taskId=${row.tasks[0]?.instanceId}&maximum=10&value=3`;
  t.is((await send('GET', path)).status, 200);
  const posted = await send('POST', path, { body: { description: 'copying' } });
  t.is(posted.status, 201);
  t.deepEqual(posted.body, { taskId: row.tasks[0]?.instanceId, maximum: 10, value: 3, description: 'copying' });
});

test('progress with missing or bad numbers, or of an unknown task, is rejected', async (t) => {
  const { send } = await openApi(t, southbound);
  for (const method of ['GET', 'POST']) {
    for (const query of [
      '',
      'taskId=a',
      'taskId=a&maximum=x&value=1',
      'taskId=a&maximum=1&value=',
      'taskId=&maximum=1&value=1',
    ]) {
      t.is((await send(method, `/api/current/notification/progress?${query}`)).status, 400, `${method} ${query}`);
    }
    t.is((await send(method, '/api/current/notification/progress?taskId=a&maximum=1&value=1')).status, 404);
  }
});

test('notifications are southbound only, and nodes are northbound only', async (t) => {
  const north = await openApi(t, { ...northbound, authEnabled: false });
  t.is((await north.send('POST', '/api/current/notification')).status, 404);
  const south = await openApi(t, southbound);
  t.is((await south.send('GET', '/api/current/nodes')).status, 404);
});
