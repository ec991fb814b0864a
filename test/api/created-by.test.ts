/** Records of work on many nodes: their lists filter by their creator and by the time of their last change. */
import test from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

test('windows, batches, tickets and bulk actions are listed by their creator and by the time of their last change', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send, as } = await serve(t, northbound, it.engine);
  const { id: node } = await it.node();
  const [alice, bob] = await Promise.all([as('Administrator', 'alice'), as('Administrator', 'bob')]);
  const call = (token: string, method: string, path: string, body?: object) =>
    send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  const launch = { name: 'Graph.noop-example', nodes: [node] };
  const workflow = (await it.launch('Graph.noop-example')).id;
  const window = { name: 'w', zone: 'UTC', spans: [{ days: ['sun'], from: '01:00', to: '02:00' }] };
  const records: [path: string, make: string, body: object][] = [
    ['/windows', '/windows', window],
    ['/batches', '/nodes/workflows', launch],
    ['/tickets', '/tickets', { launch }],
    ['/workflows/actions', '/workflows/actions', { command: 'cancel', ids: [workflow] }],
  ];
  for (const [path, make, body] of records) {
    const made = await call(alice, 'POST', make, body);
    t.is(made.status, 201, JSON.stringify(made.body));
    const other = (await call(bob, 'POST', make, body)).body.id;
    const listed = async (query: string) =>
      ((await call(alice, 'GET', `${path}?${query}`)).body as { id: string }[]).map(({ id }) => id).sort();
    t.deepEqual(await listed('createdBy=alice'), [made.body.id], path);
    t.deepEqual(await listed('createdBy=alice,bob'), [made.body.id, other].sort(), path);
    t.deepEqual(await listed('createdBy=null'), [], path);
    const early = '2020-01-01';
    t.is((await listed(`updatedAt.gte=${early}`)).length, 2, path);
    t.is((await listed(`updatedAt.lt=${early}`)).length, 0, path);
  }
});
