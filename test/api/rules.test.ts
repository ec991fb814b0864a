/** /rules as users see it: records, and bad input, which is rejected with its path. */
import test, { type ExecutionContext } from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

async function scene(t: ExecutionContext) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/api/current${path}`, body === undefined ? {} : { body });
  const { id: node } = await it.node();
  return { it, call, node };
}

const on = { type: '^node$', action: '^updated$' };
const launch = { name: 'Graph.noop-example' };

test('a rule is created disabled, tested, enabled, acts on the next event, and is deleted with its runs', async (t) => {
  const { it, call, node } = await scene(t);
  const { status, body, headers } = await call('POST', '/rules', { name: 'renamed', on, launch });
  t.is(status, 201);
  t.is(headers.get('location'), `/api/2.0/rules/${body.id}`);
  t.like(body, { name: 'renamed', on, launch: { ...launch, options: {} }, enabled: false, createdBy: null });
  t.deepEqual(body.limits, { perNodePerDay: 1, perHour: 10 });
  const at = `/rules/${body.id}`;
  await call('PATCH', `/nodes/${node}`, { name: 'before' });
  const tested = await call('POST', `${at}/test?since=2026-01-01`);
  t.is(tested.status, 200);
  t.like(tested.body.events, { length: 1, 0: { type: 'node', action: 'updated', nodeId: node } });
  t.like((await call('PATCH', at, { enabled: true, limits: { perHour: 5 } })).body, {
    enabled: true,
    limits: { perNodePerDay: 1, perHour: 5 },
  });
  await call('PATCH', `/nodes/${node}`, { name: 'after' });
  const started = async () => (await call('GET', `${at}/runs?status=started`)).body;
  await it.until(async () => (await started()).length === 1);
  const [run] = await started();
  t.like((await call('GET', `/workflows/${run.workflow}`)).body, { node, rule: body.id });
  t.like((await call('GET', '/rules?name=renamed&enabled=true')).body, { length: 1, 0: { id: body.id } });
  t.is((await call('DELETE', at)).status, 204);
  for (const path of [at, `${at}/runs`]) t.is((await call('GET', path)).status, 404);
});

test('a rule that makes no sense is rejected with the path, and nothing is stored', async (t) => {
  const { call } = await scene(t);
  const hold = { reason: 'hot' };
  const bad: [object, number, string | undefined][] = [
    [{ on, launch, enabled: true }, 400, 'enabled'],
    [{ on: {}, launch }, 400, 'on'],
    [{ on: { type: '(' }, launch }, 400, 'on.type'],
    [{ on: { colour: 'red' }, launch }, 400, 'on.colour'],
    [{ on }, 400, 'launch'],
    [{ on, launch, hold }, 400, 'launch'],
    [{ on, launch: { ...launch, nodes: ['n'] } }, 400, 'launch.nodes'],
    [{ on, launch: { name: 'Graph.None' } }, 404, undefined],
    [{ on, hold: { ...hold, kind: 'broken' } }, 400, 'hold.kind'],
    [{ on, hold: { ...hold, forMinutes: 0 } }, 400, 'hold.forMinutes'],
    [{ on, launch, limits: { perHour: 0 } }, 400, 'limits.perHour'],
  ];
  for (const [rule, status, path] of bad) {
    const answer = await call('POST', '/rules', { name: 'r', ...rule });
    t.is(answer.status, status, JSON.stringify(rule));
    const paths = ((answer.body.errors ?? []) as { path: string }[]).map((error) => error.path);
    if (path !== undefined) t.true(paths.includes(path), `${path}: ${paths}`);
  }
  t.deepEqual((await call('GET', '/rules')).body, []);
  const { id } = (await call('POST', '/rules', { name: 'r', on, hold, enabled: false })).body;
  t.like((await call('PATCH', `/rules/${id}`, { launch, hold })).body, { code: 'INVALID' });
  const changed = (await call('PATCH', `/rules/${id}`, { launch })).body;
  t.deepEqual([changed.launch.name, changed.hold], [launch.name, undefined]);
});
