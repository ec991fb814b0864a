/** /schedules as users see it: rights, records, and bad input, which is rejected with its path. */
import test, { type ExecutionContext } from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

async function scene(t: ExecutionContext) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/api/current/schedules${path}`, body === undefined ? {} : { body });
  const { id: node } = await it.node();
  return { it, call, node };
}

const NIGHTS = { cron: '30 2 25-31 3 *', zone: 'Europe/Berlin' };

test('a schedule is created with its next five times, read, changed, run now, and deleted with its runs', async (t) => {
  const { call, node } = await scene(t);
  const launch = { name: 'Graph.noop-example', nodes: [node] };
  const { status, body, headers } = await call('POST', '', { name: 'nights', when: NIGHTS, launch, paused: true });
  t.is(status, 201);
  t.is(headers.get('location'), `/api/2.0/schedules/${body.id}`);
  t.like(body, { when: NIGHTS, launch, overlap: 'skip', missed: 'run', paused: true, until: null, last: null });
  t.is(body.next.length, 5);
  t.regex(body.next[3], /-03-28T0[01]:[03]0:00\.000Z$/);
  const at = `/${body.id}`;
  t.like((await call('PATCH', at, { overlap: 'queue', until: null })).body, { overlap: 'queue', when: NIGHTS });
  const ran = await call('PUT', `${at}/action`, { command: 'run-now' });
  t.is(ran.status, 202);
  t.is(ran.body.last.status, 'started');
  t.like((await call('GET', `${at}/runs`)).body, { length: 1, 0: { ...ran.body.last, schedule: body.id } });
  t.like((await call('GET', '?name=nights')).body, [{ id: body.id, last: ran.body.last }]);
  t.is((await call('DELETE', at)).status, 204);
  for (const path of [at, `${at}/runs`]) t.is((await call('GET', path)).status, 404);
});

test('a schedule by the filter of the list of nodes runs on the nodes that match then', async (t) => {
  const { it, call } = await scene(t);
  const launch = { name: 'Graph.noop-example', filter: { type: 'compute', held: false } };
  const { body } = await call('POST', '', { name: 's', when: { at: '2099-01-01T00:00:00Z' }, launch });
  await it.node();
  const { last } = (await call('PUT', `/${body.id}/action`, { command: 'run-now' })).body;
  t.is((await it.engine.batches.get(last.batch))?.launched.length, 2);
});

test('a schedule that makes no sense is rejected with the path, and nothing is stored', async (t) => {
  const { call, node } = await scene(t);
  const launch = { name: 'Graph.noop-example', nodes: [node] };
  const when = { everySec: 60 };
  const bad: [object, number, string][] = [
    [{ when: { cron: '* * * * * *', zone: 'UTC' }, launch }, 400, 'when.cron'],
    [{ when: { cron: '0 0 * * *', zone: 'Mars/Base' }, launch }, 400, 'when.zone'],
    [{ when: { at: '2000-01-01T00:00:00Z' }, launch }, 400, 'when.at'],
    [{ when: { everySec: 0 }, launch }, 400, 'when.everySec'],
    [{ when }, 400, 'launch'],
    [{ when, launch: { ...launch, filter: { type: 'compute' } } }, 400, 'launch'],
    [{ when, launch: { name: launch.name, filter: { colour: 'red' } } }, 400, 'colour'],
    [{ when, launch: { ...launch, nodes: ['none'] } }, 404, 'launch.nodes.0'],
    [{ when, rollout: { graph: launch.name, targets: {} } }, 400, 'rollout.targets'],
    [{ when, launch, overlap: 'both' }, 400, 'overlap'],
  ];
  for (const [schedule, status, path] of bad) {
    const answer = await call('POST', '', { name: 's', ...schedule });
    t.is(answer.status, status, path);
    const paths = (answer.body.errors as { path: string }[]).map((error) => error.path);
    t.true(paths.includes(path), `${path}: ${paths}`);
  }
  t.deepEqual((await call('GET', '')).body, []);
});

test('the next times of a schedule are computed before it is stored', async (t) => {
  const { call } = await scene(t);
  const preview = (body: object) => call('POST', '/preview', body);
  const { status, body } = await preview({ when: NIGHTS });
  t.is(status, 200);
  t.is(body.next.length, 5);
  t.like(await preview({ when: { everySec: 3_600, from: '2099-01-01T00:00:00Z' }, until: '2099-01-01T01:30:00Z' }), {
    body: { next: ['2099-01-01T00:00:00.000Z', '2099-01-01T01:00:00.000Z'] },
  });
  t.like(await preview({ when: { cron: '0 0 30 2 *', zone: 'UTC' } }), {
    status: 400,
    body: { errors: [{ path: 'when.cron' }] },
  });
  t.deepEqual((await call('GET', '')).body, []);
});
