/** /rollouts as users see them: what is rejected, and what the audit log says. */
import test, { type ExecutionContext } from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

const FAILING = {
  friendlyName: 'Fails',
  injectableName: 'Graph.Rollouts.Fails',
  tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
};

async function scene(t: ExecutionContext) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send, as } = await serve(t, northbound, it.engine);
  const token = await as('Administrator', 'alice');
  const { id: node } = await it.node();
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  return { it, node, call };
}

test('a retry of failed targets that is acknowledged is in the audit log as such', async (t) => {
  const { it, node, call } = await scene(t);
  await it.engine.library.putGraph(FAILING);
  const made = await call('POST', '/rollouts', { graph: FAILING.injectableName, targets: { nodes: [node] } });
  t.is(made.status, 201);
  const path = `/rollouts/${made.body.id}`;
  const ended = () => it.until(async () => (await call('GET', path)).body.status === 'completed_with_failures');
  await ended();
  const action = { command: 'retry-failed', acknowledge: true };
  t.is((await call('PUT', `${path}/action`, action)).status, 202);
  await it.until(async () => (await call('GET', path)).body.phases.length === 2);
  await ended();
  t.is((await call('PUT', `${path}/action`, { command: 'retry-failed' })).status, 202);
  await ended();
  const entries = await it.engine.audit.list(0, 1_000);
  t.like(
    entries.filter(({ method, path: entryPath }) => method === 'PUT' && entryPath.includes(made.body.id)),
    [{ user: 'alice', acknowledged: ['*'] }, { user: 'alice' }],
  );
});

test('a rollout or a command that makes no sense is rejected, the default by its name is not', async (t) => {
  const { node, call } = await scene(t);
  const create = (more: object) =>
    call('POST', '/rollouts', { graph: 'Graph.noop-example', targets: { nodes: [node] }, ...more });
  const bad: [object, string][] = [
    [{ phases: [{ size: 1 }, { size: 1 }] }, 'phases'],
    [{ phases: [{ size: 'some' }] }, 'phases'],
    [{ gates: [{ health: 'fine' }] }, 'gates'],
    [{ gates: [{ failures: 0 }] }, 'gates'],
    [{ limits: { per: { none: 1 } } }, 'limits'],
    [{ order: { by: 'none' } }, 'order.by'],
    [{ options: { zzz: {} } }, 'options.zzz'],
    [{ options: { 'noop-1': { delay: 'long' } } }, 'options.noop-1.delay'],
    [{ targets: {} }, 'targets'],
  ];
  for (const [more, path] of bad) {
    const { status, body } = await create(more);
    t.is(status, 400, path);
    t.true(JSON.stringify(body).includes(path), `${path}: ${JSON.stringify(body)}`);
  }
  const rollout = { graph: 'Graph.noop-example', targets: { nodes: [node] }, options: { zzz: {} } };
  const schedule = { name: 's', when: { at: '2099-01-01T00:00:00Z' }, rollout };
  const bodies = { '/rollouts/plan': rollout, '/schedules': schedule, '/tickets': { rollout } };
  for (const [path, refused] of Object.entries(bodies)) {
    const { status, body } = await call('POST', path, refused);
    t.is(status, 400, path);
    t.regex(body.errors[0].path, /options\.zzz$/, path);
  }
  t.is((await create({ window: 'none' })).status, 404);
  t.is((await call('PUT', '/rollouts/none/action', { command: 'pause' })).status, 404);
  const { body } = await create({ phases: [{ size: 'rest', advance: 'manual' }], order: { by: 'random' } });
  t.deepEqual(body.order, { by: 'random' });
  t.is((await call('PUT', `/rollouts/${body.id}/action`, { command: 'advance', phase: 7 })).status, 409);
  t.is((await call('PUT', `/rollouts/${body.id}/action`, { command: 'pause', phase: 7 })).status, 400);
});
