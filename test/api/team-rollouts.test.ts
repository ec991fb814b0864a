/** Rollouts and actions on many workflows, of members of a team. */
import test from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { NOOP, openTeamScene, STRANGER, WAITING } from '../support/servers/team-scene.ts';

let shared: TestEngine;

test.before(async () => {
  shared = await openEngine();
});
test.after.always(() => shared?.close());

test.serial('a member rolls a graph out on nodes of the team, and nodes of others are unknown', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, second, other] = [await node('n1', a), await node('n2', a), await node('n3', b)];
  const ann = await member('ann', [{ role: 'Operator', team: a, graphs: ['Graph.noop*'] }]);
  const create = (targets: object, more: object = {}) =>
    call('POST', '/rollouts', { graph: NOOP, targets, ...more }, ann);
  for (const path of ['/rollouts', '/rollouts/plan'])
    for (const unknown of [other, STRANGER]) {
      const { status, body } = await call('POST', path, { graph: NOOP, targets: { nodes: [own, unknown] } }, ann);
      t.is(status, 404);
      t.deepEqual(body.errors, [
        { path: 'targets.nodes.1', message: `Could not find node with identifier ${unknown}` },
      ]);
    }
  t.is((await create({ nodes: [own] }, { graph: WAITING })).status, 403);
  t.is((await create({ nodes: [own] }, { ticket: STRANGER })).status, 404);
  const made = await create({ filter: { type: 'compute' } });
  t.like(made, { status: 201, body: { owner: a, counts: { pending: 2 } } });
  const { id } = made.body;
  await it.until(async () => (await it.engine.rollouts.get(id))?.status === 'succeeded');
  const { body: targets } = await call('GET', `/rollouts/${id}/targets`, undefined, ann);
  t.deepEqual(targets.map((target: { node: string }) => target.node).toSorted(), [own, second].toSorted());
  for (const { workflow } of targets)
    t.like(await call('GET', `/workflows/${workflow}`, undefined, ann), { status: 200, body: { owner: a } });
  const site = await call('POST', '/rollouts', { graph: NOOP, targets: { nodes: [own] } });
  t.false('owner' in site.body);
  const excluded = await create({ nodes: [own], excludeRollouts: [site.body.id] });
  t.like(excluded, { status: 404, body: { message: `no rollout has the id ${site.body.id}` } });
  t.is((await call('DELETE', `/teams/${a}`)).status, 409);
});

test.serial('rollouts of others do not exist for a member, and neither do their events', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const [ann, ben] = [
    await member('ann', [{ role: 'Operator', team: a }]),
    await member('ben', [{ role: 'Operator', team: b }]),
  ];
  const create = async (id: string, token?: string) =>
    (await call('POST', '/rollouts', { graph: WAITING, targets: { nodes: [id] } }, token)).body;
  const [mine, theirs, site] = [await create(own, ann), await create(other, ben), await create(own)];
  const listed = await call('GET', '/rollouts', undefined, ann);
  t.deepEqual([listed.headers.get('x-total-count'), listed.body.length, listed.body[0].id], ['1', 1, mine.id]);
  for (const { id } of [theirs, site, { id: STRANGER }])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/targets', undefined],
      ['PUT', '/action', { command: 'cancel' }],
      ['DELETE', '', undefined],
    ] as const)
      t.like(await call(method, `/rollouts/${id}${path}`, body, ann), {
        status: 404,
        body: { message: `no rollout has the id ${id}` },
      });
  const eventsOf = async (token: string) =>
    (await call('GET', '/events?limit=1000&type=rollout', undefined, token)).body;
  // The rollouts were created one after the other, so the event of the other team is in the log as well.
  await it.until(async () => (await eventsOf(ben)).length > 0 && (await eventsOf(ann)).length > 0);
  for (const event of await eventsOf(ann)) t.like(event, { typeId: mine.id, owner: a });
  for (const { id } of [mine, theirs, site])
    t.is((await call('PUT', `/rollouts/${id}/action`, { command: 'cancel', cancelRunning: true })).status, 202);
  const hasEnded = async (id: string) => (await it.engine.rollouts.get(id))?.finishedAt !== null;
  await it.until(async () => (await hasEnded(mine.id)) && (await hasEnded(theirs.id)));
});

test.serial('a member begins no targets of a graph that the binding does not name, and may pause them', async (t) => {
  const { a, call, member, node } = await openTeamScene(t, shared);
  const id = await node('n1', a);
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  const ben = await member('ben', [{ role: 'Operator', team: a, graphs: [NOOP] }]);
  const reader = await member('reader', [{ role: 'ReadOnly', team: a }]);
  const made = await call('POST', '/rollouts', { graph: WAITING, targets: { nodes: [id] } }, ann);
  const act = (command: string, token: string) => call('PUT', `/rollouts/${made.body.id}/action`, { command }, token);
  t.is((await call('GET', `/rollouts/${made.body.id}`, undefined, reader)).status, 200);
  t.is((await act('pause', reader)).status, 403);
  t.is((await act('pause', ben)).status, 202);
  for (const command of ['resume', 'advance', 'retry-failed']) t.is((await act(command, ben)).status, 403, command);
  t.is((await act('resume', ann)).status, 202);
  t.is((await act('cancel', ben)).status, 202);
});

test.serial('a rollout launches nothing on a node that changed hands', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [first, second] = [await node('n1', a), await node('n2', a)];
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  const phases = [{ size: 1, advance: 'manual' }, { size: 'rest' }];
  const targets = { nodes: [first, second] };
  const { body: made } = await call('POST', '/rollouts', { graph: NOOP, targets, phases }, ann);
  await it.until(async () => (await it.engine.rollouts.get(made.id))?.reason?.kind === 'phase');
  const left = (await call('GET', `/rollouts/${made.id}/targets?status=pending`, undefined, ann)).body[0].node;
  t.is((await call('PATCH', `/nodes/${left}`, { owner: b })).status, 200);
  t.is((await call('PUT', `/rollouts/${made.id}/action`, { command: 'advance' }, ann)).status, 202);
  await it.until(async () => (await it.engine.rollouts.get(made.id))?.finishedAt !== null);
  t.is((await call('GET', `/nodes/${left}/workflows`)).body.length, 0);
});

test.serial('an action of a member is sent to workflows of the team, and others are unknown', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const [ann, ben] = [
    await member('ann', [{ role: 'Operator', team: a, graphs: [NOOP] }]),
    await member('ben', [{ role: 'Operator', team: b }]),
  ];
  const [mine, theirs] = [(await it.launch(WAITING, {}, own)).id, (await it.launch(WAITING, {}, other)).id];
  const act = (body: object, token = ann) => call('POST', '/workflows/actions', body, token);
  const paused = await act({ command: 'pause', ids: [mine, theirs, STRANGER] });
  t.like(paused, { status: 201, body: { owner: a } });
  await it.until(async () => (await it.engine.bulkActions.get(paused.body.id))?.status === 'finished');
  const { body } = await call('GET', `/workflows/actions/${paused.body.id}`, undefined, ann);
  t.deepEqual(
    body.items.map(({ workflow, code, message }: Record<string, string>) => [workflow, code, message]),
    [[mine, null, null], ...[theirs, STRANGER].map((id) => [id, 'NOT_FOUND', `Could not find workflow ${id}`])],
  );
  t.is((await call('GET', `/workflows/${theirs}`)).body.status, 'running');
  const all = await act({ command: 'cancel', filter: { status: 'running' } });
  t.deepEqual(
    all.body.items.map(({ workflow }: { workflow: string }) => workflow),
    [mine],
  );
  await it.finished(mine);
  const retried = await act({ command: 'retry', ids: [mine] });
  t.is(retried.body.items[0].code, 'FORBIDDEN');
  const site = await call('POST', '/workflows/actions', { command: 'pause', ids: [mine] });
  for (const [id, token] of [
    [site.body.id, ann],
    [paused.body.id, ben],
  ]) {
    t.is((await call('GET', `/workflows/actions/${id}`, undefined, token)).status, 404);
    t.is((await call('PUT', `/workflows/actions/${id}/action`, { command: 'cancel' }, token)).status, 404);
  }
  t.is((await call('GET', '/workflows/actions', undefined, ann)).body.length, 3);
  t.deepEqual((await call('GET', '/workflows/actions', undefined, ben)).body, []);
  await it.engine.control.cancel(theirs);
});

test.serial(
  'a quota limits the rollouts of a team that have not ended, also those that begin at the same time',
  async (t) => {
    const { a, call, member, node, it } = await openTeamScene(t, shared);
    const id = await node('n1', a);
    const ann = await member('ann', [{ role: 'Operator', team: a }]);
    t.is((await call('PATCH', `/teams/${a}`, { quotas: { rollouts: 2 } })).status, 200);
    const create = (token?: string) => call('POST', '/rollouts', { graph: WAITING, targets: { nodes: [id] } }, token);
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(ann)));
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
    t.is(made.length, 2);
    for (const { status, body } of answers.filter((one) => one.status !== 201)) {
      t.like({ status, body }, { status: 409, body: { code: 'TEAM_QUOTA' } });
      t.regex(body.message, /runs 2 of at most 2 rollouts/);
    }
    t.is((await create()).status, 201);
    for (const rollout of made)
      t.is(
        (await call('PUT', `/rollouts/${rollout}/action`, { command: 'cancel', cancelRunning: true }, ann)).status,
        202,
      );
    await it.until(async () => {
      const all = await Promise.all(made.map((rollout) => it.engine.rollouts.get(rollout)));
      return all.every((rollout) => rollout?.finishedAt !== null);
    });
    t.is((await create(ann)).status, 201);
  },
);
