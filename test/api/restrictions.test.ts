/** Restrictions of launches by HTTP: whose roles count, and that each route which launches says no in the same words. */
import test from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, PASSWORD, serve } from '../support/servers/api.ts';
import { NOOP, openTeamScene, type TeamScene } from '../support/servers/team-scene.ts';

const FAILING = 'Graph.Restricted.Fails';
const LED = 'Graph.IdentifyOff.Node';
const CODE = 'LAUNCH_RESTRICTED';

let shared: TestEngine;

test.before(async () => {
  shared = await openEngine({ restrictions: [{ graphs: [NOOP, FAILING, LED], roles: ['Administrator'] }] });
  await shared.engine.library.putGraph({
    friendlyName: 'Fails',
    injectableName: FAILING,
    tasks: [{ label: 'fails', taskName: 'Task.Fixture.Fail' }],
  });
});
test.after.always(() => shared?.close());

/** Returns the token of a user who has all privileges, but by another role. */
async function deputy({ call, member, named }: TeamScene): Promise<string> {
  const { body } = await call('GET', '/roles');
  const { privileges } = body.find(({ role }: { role: string }) => role === 'Administrator');
  const made = await call('POST', '/roles', { role: named('Deputy'), privileges });
  return made.status === 201 ? member('dora', [], named('Deputy')) : JSON.stringify(made);
}

test.serial(
  'each route that launches rejects a user who has all privileges by another role, before anything changes',
  async (t) => {
    const scene = await openTeamScene(t, shared);
    const { call, node, it } = scene;
    const dora = await deputy(scene);
    const id = await node('n1');
    await call('PATCH', `/nodes/${id}/tags`, { tags: ['chosen'] });
    const launch = { name: NOOP };
    const phases = [{ size: 1, advance: 'manual' }, { size: 'rest' }];
    const other = await node('n2');
    const rollout = { graph: NOOP, targets: { nodes: [id, other] }, phases };
    const schedule = { name: 's', when: { at: '2099-01-01T00:00:00Z' }, launch: { ...launch, nodes: [id] } };
    const failed = await call('POST', `/nodes/${id}/workflows`, { name: FAILING });
    await it.finished(failed.body.id);
    const scheduled = (await call('POST', '/schedules', { ...schedule, paused: true })).body.id;
    const begun = (await call('POST', '/rollouts', rollout)).body.id;
    await it.until(async () => (await it.engine.rollouts.get(begun))?.reason?.kind === 'phase');
    const total = async () => (await it.engine.workflows.list({ skip: 0, limit: 1, filter: {} })).total;
    const before = await total();
    const rejected: [string, string, object][] = [
      ['POST', '/workflows', launch],
      ['POST', `/nodes/${id}/workflows`, launch],
      ['POST', `/workflows/${failed.body.id}/retry`, {}],
      ['POST', '/obms/led', { nodeId: id, value: false }],
      ['POST', '/rollouts', rollout],
      ['PUT', `/rollouts/${begun}/action`, { command: 'advance' }],
      ['POST', '/schedules', schedule],
      ['POST', '/schedules', { ...schedule, launch: undefined, rollout }],
      ['PATCH', `/schedules/${scheduled}`, { when: { at: '2098-01-01T00:00:00Z' } }],
      ['PUT', `/schedules/${scheduled}/action`, { command: 'run-now' }],
      ['PUT', `/schedules/${scheduled}/action`, { command: 'resume' }],
      ['POST', '/rules', { name: 'r', on: { type: '^node$' }, launch }],
    ];
    for (const [method, path, body] of rejected) {
      const answer = await call(method, path, body, dora);
      t.like(answer, { status: 403, body: { code: CODE } }, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      t.regex(
        answer.body.message,
        /^Graph\.\S+ is restricted.*: found (Deputy-\d+|no role of a user); expected one of Administrator/,
      );
    }
    const plan = await call('POST', '/workflows/plan', { ...launch, node: id }, dora);
    t.like(plan.body.rejections, { length: 1, 0: { code: CODE } });
    const [{ message }] = plan.body.rejections;
    t.regex(message, /found Deputy-\d+; expected one of Administrator/);
    const planned = await call('POST', '/rollouts/plan', rollout, dora);
    t.like(planned.body.rejections, { length: 2, 0: { code: CODE } });
    const batch = await call('POST', '/nodes/workflows', { ...launch, nodes: [id] }, dora);
    t.deepEqual(batch.body.rejected, [{ node: id, code: CODE, message }]);
    const tagged = await call('POST', '/tags/chosen/nodes/workflows', launch, dora);
    t.deepEqual(tagged.body, []);
    const retried = await call('POST', '/workflows/actions', { command: 'retry', ids: [failed.body.id] }, dora);
    t.like(retried.body.items, { length: 1, 0: { code: CODE } });
    const [failure] = (await call('GET', `/failures?graph=${FAILING}`)).body;
    const { body } = await call('PUT', `/failures/${failure.id}/action`, { command: 'retry' }, dora);
    await it.until(async () => (await it.engine.bulkActions.get(body.action))?.status === 'finished');
    t.like((await it.engine.bulkActions.get(body.action))?.items, { length: 1, 0: { code: CODE } });
    t.is(await total(), before);
    // The same by a user with the role.
    const again = await call('POST', '/workflows/actions', { command: 'retry', ids: [failed.body.id] });
    t.like(again.body.items, { length: 1, 0: { status: 'succeeded' } });
    await it.finished(again.body.items[0].newWorkflow);
    t.like(await call('PUT', `/schedules/${scheduled}/action`, { command: 'run-now' }), { status: 202 });
    await it.until(async () => (await it.engine.schedules.get(scheduled))?.last?.status === 'started');
    t.is((await call('PUT', `/rollouts/${begun}/action`, { command: 'advance' })).status, 202);
    await it.until(async () => (await it.engine.rollouts.get(begun))?.status === 'succeeded');
  },
);

test.serial(
  'a role counts on the whole site, or on nodes of the team that it is bound to, for graphs of the binding',
  async (t) => {
    const { a, b, call, member, node } = await openTeamScene(t, shared);
    const [own, other] = [await node('n1', a), await node('n2', b)];
    const launch = async (token: string, id = own) => {
      const { status, body } = await call('POST', `/nodes/${id}/workflows`, { name: NOOP }, token);
      if (status === 201) await shared.finished(body.id);
      return `${status} ${body.code ?? ''}`.trim();
    };
    const operator = { role: 'Operator', team: a };
    const [ann, amy, abe, site] = [
      await member('ann', [operator]),
      await member('amy', [{ role: 'Administrator', team: a }]),
      await member('abe', [operator, { role: 'Administrator', team: a, graphs: ['Graph.Power*'] }]),
      await member('sam', [{ role: 'Administrator', team: a }], 'Operator'),
    ];
    t.is(await launch(ann), `403 ${CODE}`);
    t.is(await launch(amy), '201');
    t.is(await launch(abe), `403 ${CODE}`, 'the binding as Administrator names other graphs');
    t.is(await launch(site), '201');
    t.is(await launch(site, other), `403 ${CODE}`, 'it is bound to the other team only');
  },
);

test.serial(
  'an API token has a role only with all of its privileges, and an endpoint without log-in none',
  async (t) => {
    const { call, node, it, as, send } = await openTeamScene(t, shared);
    const id = await node('n1');
    await as('Administrator', 'tina');
    const tina = (await send('POST', '/login', { body: { username: 'tina', password: PASSWORD } })).body.token;
    const tokenOf = async (privileges?: string[]) =>
      (await call('POST', '/users/tina/tokens', { note: 'ci', ...(privileges && { privileges }) }, tina)).body.token;
    const launch = (token: string) => call('POST', `/nodes/${id}/workflows`, { name: NOOP }, token);
    const less = await launch(await tokenOf(['Read', 'Write', 'ConfigureComponents']));
    t.like(less, { status: 403, body: { code: CODE } });
    t.regex(less.body.message, /found no role of a user/);
    const whole = await launch(await tokenOf());
    t.is(whole.status, 201);
    await it.finished(whole.body.id);
    const open = await serve(t, { ...northbound, authEnabled: false }, it.engine);
    t.like(await open.send('POST', `/api/current/nodes/${id}/workflows`, { body: { name: NOOP } }), {
      status: 403,
      body: { code: CODE },
    });
  },
);
