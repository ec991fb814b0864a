/** Members of a team reach its nodes and workflows, and nothing of others, by any route. */
import test from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import type { Answer } from '../support/servers/api.ts';
import { PASSWORD } from '../support/servers/api.ts';
import { openTeamScene, type TeamBindings, WAITING } from '../support/servers/team-scene.ts';

let shared: TestEngine;

test.before(async () => {
  shared = await openEngine();
});
test.after.always(() => shared?.close());

/** Without what differs between any two errors, and the id that was asked for. */
const comparable = ({ status, body }: Answer, id: string) => ({
  status,
  body: JSON.parse(JSON.stringify({ ...body, requestId: '' }).replaceAll(id, '<id>')),
});

test.serial('a member sees and counts the nodes of the team only, and others are answered like none', async (t) => {
  const { a, b, named, call, member, node } = await openTeamScene(t, shared);
  const [own, other, free] = [await node('n1', a), await node('n2', b), await node('n3')];
  await call('PUT', `/nodes/${own}/relations`, { contains: [other] });
  const launched = await call('POST', `/nodes/${other}/workflows`, { name: WAITING });
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  const list = await call('GET', '/nodes', undefined, ann);
  t.deepEqual(
    list.body.map(({ id, relations, owner }: { id: string; relations: object[]; owner: string }) => ({
      id,
      relations,
      owner,
    })),
    [{ id: own, relations: [], owner: a }],
  );
  t.is(list.headers.get('x-total-count'), '1');
  for (const filter of [`owner=${b}`, `name=${named('n2')}`, `id=${other}`, 'busy=true'])
    t.is((await call('GET', `/nodes?${filter}`, undefined, ann)).headers.get('x-total-count'), '0', filter);
  const absentNode = '11111111-1111-4111-8111-111111111111';
  const rename = { name: 'x' };
  const hold = { kind: 'repair', reason: 'x' };
  const wait = { name: WAITING };
  const asks: [method: string, path: (id: string) => string, body?: object | ((id: string) => object)][] = [
    ['GET', (id) => `/nodes/${id}`],
    ['PATCH', (id) => `/nodes/${id}`, rename],
    ['GET', (id) => `/nodes/${id}/workflows`],
    ['POST', (id) => `/nodes/${id}/workflows`, wait],
    ['PUT', (id) => `/nodes/${id}/workflows/action`, { command: 'cancel' }],
    ['GET', (id) => `/nodes/${id}/holds`],
    ['POST', (id) => `/nodes/${id}/holds`, hold],
    ['GET', (id) => `/nodes/${id}/catalogs`],
    ['POST', () => '/workflows', (id) => ({ ...wait, node: id })],
    ['POST', () => '/workflows/plan', (id) => ({ ...wait, node: id })],
  ];
  for (const [method, path, body] of asks) {
    const ask = async (id: string) => {
      const sent = typeof body === 'function' ? body(id) : body;
      return comparable(await call(method, path(id), sent, ann), id);
    };
    const missing = await ask(absentNode);
    t.is(missing.status, 404, path('x'));
    for (const id of [other, free]) t.deepEqual(await ask(id), missing, path('x'));
  }
  for (const [method, end, body] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/history'],
    ['PUT', '/action', { command: 'cancel' }],
    ['POST', '/retry', {}],
    ['POST', '/notification', {}],
  ] as const) {
    const ask = async (id: string) => comparable(await call(method, `/workflows/${id}${end}`, body, ann), id);
    const missing = await ask(absentNode);
    t.is(missing.status, 404, end);
    t.deepEqual(await ask(launched.body.id), missing, end);
  }
  t.deepEqual((await call('GET', '/workflows', undefined, ann)).body, []);
  t.is((await call('GET', `/nodes/${own}`, undefined, ann)).body.name, named('n1'));
});

test.serial('rights add up: a role on the whole site, and roles on the nodes of teams', async (t) => {
  const { a, b, named, call, send, member, node } = await openTeamScene(t, shared);
  const [own, read, other] = [await node('n1', a), await node('n2', b), await node('n3')];
  const launch = (id: string, token: string) => call('POST', `/nodes/${id}/workflows`, { name: WAITING }, token);
  const two = await member('two', [
    { role: 'Operator', team: a },
    { role: 'ReadOnly', team: b },
  ]);
  t.is((await call('GET', `/nodes/${read}`, undefined, two)).status, 200);
  const held = `Login, ConfigureComponents, ConfigureSelf on the nodes of ${a}; Read, Login, ConfigureSelf on the nodes of ${b}`;
  const missing = (place: string) => ({
    status: 403,
    body: {
      errors: [
        {
          path: 'privileges',
          message: `found ${held}; expected ${place}; a user with ConfigureUsers can give a role that has it`,
        },
      ],
    },
  });
  t.like(await launch(read, two), missing(`Write or ConfigureComponents on the nodes of ${b}`));
  t.like(await call('GET', '/skus', undefined, two), missing('Read or ConfigureComponents on the whole site'));
  t.is((await launch(other, two)).status, 404);
  const session = await send('GET', '/login/user', { token: two });
  t.like(session.body, { onSite: [], privileges: ['Read', 'Login', 'ConfigureSelf', 'ConfigureComponents'] });
  const started = await launch(own, two);
  t.like(started, { status: 201, body: { owner: a, launchedBy: named('two') } });
  t.is((await call('GET', `/workflows/${started.body.id}`, undefined, two)).status, 200);
  t.is((await call('PUT', `/workflows/${started.body.id}/action`, { command: 'cancel' }, two)).status, 202);
  const reader = await member('reader', [{ role: 'Operator', team: b }], 'ReadOnly');
  t.true(Number((await call('GET', '/nodes', undefined, reader)).headers.get('x-total-count')) >= 3);
  t.is((await launch(other, reader)).status, 404);
  t.is((await launch(read, reader)).status, 201);
});

test.serial('a binding limits the graphs that may be launched, planned and retried', async (t) => {
  const { a, call, member, node, it } = await openTeamScene(t, shared);
  const own = await node('n1', a);
  const ann = await member('ann', [{ role: 'Operator', team: a, graphs: ['Graph.noop*', 'Graph.PowerOn.Node'] }]);
  const denied = await call('POST', `/nodes/${own}/workflows`, { name: WAITING }, ann);
  t.is(denied.status, 403);
  t.regex(denied.body.message, /Graph\.Demo\.InstallOs .*expected Graph\.noop\*, Graph\.PowerOn\.Node/);
  t.is((await call('POST', '/workflows/plan', { name: WAITING, node: own }, ann)).status, 403);
  t.is((await call('POST', '/workflows', { name: 'Graph.noop-example' }, ann)).status, 400);
  const started = await call('POST', '/workflows', { name: 'Graph.noop-example', node: own }, ann);
  t.is(started.status, 201);
  await it.finished(started.body.id);
  const { id } = await it.launch(WAITING, {}, own);
  t.is((await call('PUT', `/workflows/${id}/action`, { command: 'cancel' }, ann)).status, 202);
  await it.finished(id);
  t.is((await call('POST', `/workflows/${id}/retry`, {}, ann)).status, 403);
  t.is((await call('POST', `/workflows/${started.body.id}/retry`, { from: 'start' }, ann)).status, 201);
});

test.serial('a workflow of a member runs nothing on a node of others, not even a child', async (t) => {
  const { a, b, as, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const graph = {
    friendlyName: 'Run',
    injectableName: 'Graph.Elsewhere',
    tasks: [{ label: 'run', taskName: 'Task.Graph.Run' }],
  };
  t.is((await call('PUT', '/workflows/graphs', graph)).status, 201);
  const ann = await member('ann', [{ role: 'Administrator', team: a }]);
  const run = async (nodeId: string, token: string) => {
    const options = { run: { graphName: 'Graph.noop-example', nodeId } };
    const { body } = await call('POST', `/nodes/${own}/workflows`, { name: 'Graph.Elsewhere', options }, token);
    return it.finished(body.id);
  };
  const stranger = '11111111-1111-4111-8111-111111111111';
  for (const id of [other, stranger]) {
    const { status, tasks } = await run(id, ann);
    t.is(status, 'failed');
    t.is(tasks[0]?.error?.message, `Could not find node with identifier ${id}`);
  }
  t.is((await run(own, ann)).status, 'succeeded');
  t.is((await run(other, await as('Administrator', 'site'))).status, 'succeeded');
});

test.serial(
  'a node changes hands while it is free, and its workflows stay with the team that launched them',
  async (t) => {
    const { a, b, call, member, node, it } = await openTeamScene(t, shared);
    const id = await node('n1', a);
    const [ann, ben] = [
      await member('ann', [{ role: 'Operator', team: a }]),
      await member('ben', [{ role: 'Operator', team: b }]),
    ];
    const { body: first } = await call('POST', `/nodes/${id}/workflows`, { name: WAITING }, ann);
    const busy = await call('PATCH', `/nodes/${id}`, { owner: b });
    t.like(busy, { status: 409, body: { code: 'WORKFLOW_ACTIVE' } });
    await call('PUT', `/workflows/${first.id}/action`, { command: 'cancel' }, ann);
    await it.finished(first.id);
    t.is((await call('PATCH', `/nodes/${id}`, { owner: b }, ann)).status, 403);
    t.is((await call('PATCH', `/nodes/${id}`, { owner: 'none-such' })).body.errors[0].path, 'owner');
    t.is((await call('PATCH', `/nodes/${id}`, { owner: b, name: 'x' })).status, 400);
    t.like(await call('PATCH', `/nodes/${id}`, { owner: b }), { status: 200, body: { owner: b } });
    t.is((await call('GET', `/nodes/${id}`, undefined, ann)).status, 404);
    t.is((await call('GET', `/workflows/${first.id}`, undefined, ann)).status, 200);
    t.is((await call('POST', `/workflows/${first.id}/retry`, {}, ann)).status, 404);
    t.is((await call('GET', `/workflows/${first.id}`, undefined, ben)).status, 404);
    t.like(await call('GET', `/nodes/${id}`, undefined, ben), { status: 200, body: { workflows: [], owner: b } });
    t.is((await call('POST', `/nodes/${id}/workflows`, { name: WAITING }, ben)).status, 201);
    t.is((await call('PATCH', `/nodes/${id}`, { owner: null })).status, 409);
  },
);

test.serial('a launch that read the owner before a node changed hands does not take the node', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const id = await node('n1', a);
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  const nodes = it.engine.nodes;
  const ownerOf = nodes.ownerOf.bind(nodes);
  let reads = 0;
  nodes.ownerOf = async (identifier) => {
    const answer = await ownerOf(identifier);
    reads += 1;
    // The first is that of the request, the second that of the launch.
    if (reads === 2) {
      nodes.ownerOf = ownerOf;
      await it.engine.teams.assign(id, b);
    }
    return answer;
  };
  const late = await call('POST', `/nodes/${id}/workflows`, { name: WAITING }, ann);
  t.is(late.status, 404, JSON.stringify(late.body));
  t.is((await call('GET', `/nodes/${id}/workflows`)).body.length, 0);
  t.is((await call('GET', `/nodes/${id}`)).body.owner, b);
});

test.serial(
  'a quota limits the workflows that run on the nodes of a team, also of launches at the same time',
  async (t) => {
    const { a, b, call, node, it } = await openTeamScene(t, shared);
    const nodes: string[] = [];
    for (let n = 0; n < 6; n += 1) nodes.push(await node(`n${n}`, a));
    t.is((await call('PATCH', `/teams/${a}`, { quotas: { runningWorkflows: -1 } })).status, 400);
    t.like(await call('PATCH', `/teams/${a}`, { quotas: { runningWorkflows: 2 } }), { status: 200 });
    const launch = (id: string | undefined) => call('POST', `/nodes/${id}/workflows`, { name: WAITING });
    const answers = await Promise.all(nodes.slice(0, 5).map(launch));
    const started = answers.filter(({ status }) => status === 201);
    t.is(started.length, 2);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      t.like({ status, body }, { status: 409, body: { code: 'TEAM_QUOTA' } });
      t.true(body.message.startsWith(`the team ${a} runs 2 of at most 2 workflows`), body.message);
    }
    const other = await node('other', b);
    t.is((await launch(other)).status, 201);
    const [one] = started.map(({ body }) => body.id);
    await call('PUT', `/workflows/${one}/action`, { command: 'cancel' });
    await it.finished(one);
    t.is((await launch(nodes[5])).status, 201);
    t.is((await launch(nodes.find((id) => !started.some(({ body }) => body.node === id)))).status, 409);
    t.is((await call('PATCH', `/teams/${a}`, { quotas: {} })).status, 200);
  },
);

test.serial('a member starts a batch on nodes of one team, and sees no batch of others', async (t) => {
  const { a, b, call, member, node } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const stranger = '11111111-1111-4111-8111-111111111111';
  const ann = await member('ann', [{ role: 'Operator', team: a, graphs: [WAITING] }]);
  const start = (body: object, token?: string) => call('POST', '/nodes/workflows', { name: WAITING, ...body }, token);
  const made = await start({ nodes: [own, other, stranger] }, ann);
  t.is(made.status, 201);
  t.like(made.body, { team: a, launched: [{ node: own }] });
  t.deepEqual(
    made.body.rejected.map(({ message, code }: { message: string; code: string }) => [code, message]),
    [other, stranger].map((id) => ['NOT_FOUND', `Could not find node with identifier ${id}`]),
  );
  t.is((await start({ nodes: [own], name: 'Graph.noop-example' }, ann)).status, 403);
  t.is((await start({ nodes: [own], ticket: 'x' }, ann)).status, 404);
  const site = await start({ filter: { owner: b } });
  t.is(site.body.launched.length, 1);
  t.deepEqual(
    (await call('GET', '/batches', undefined, ann)).body.map(({ id }: { id: string }) => id),
    [made.body.id],
  );
  t.is((await call('GET', `/batches/${site.body.id}`, undefined, ann)).status, 404);
  t.is((await call('PUT', `/batches/${site.body.id}/action`, { command: 'cancel' }, ann)).status, 404);
  t.is((await call('PUT', `/batches/${made.body.id}/action`, { command: 'cancel' }, ann)).status, 202);
  const all = await start({ filter: { type: 'compute' } }, ann);
  t.deepEqual(
    [...all.body.launched, ...all.body.rejected].map((entry: { node: string }) => entry.node),
    [own],
  );
});

test.serial('events of its nodes and workflows reach a member, and no others', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  for (const id of [own, other]) await it.finished((await it.launch('Graph.noop-example', {}, id)).id);
  await it.until(async () => {
    const { body } = await call('GET', `/events?limit=1000&type=graph&action=finished&nodeId=${own},${other}`);
    return body.length === 2;
  });
  for (const filter of ['', '&type=graph', '&severity=information&type=graph,node']) {
    const { status, body } = await call('GET', `/events?limit=1000${filter}`, undefined, ann);
    t.is(status, 200);
    t.true(body.length > 2, filter);
    for (const event of body) t.like(event, { owner: a, nodeId: own });
  }
  t.deepEqual((await call('GET', `/events?limit=1000&nodeId=${other}`, undefined, ann)).body, []);
  t.deepEqual((await call('GET', `/events?limit=1000&owner=${b}`, undefined, ann)).body, []);
});

test.serial('a token of a member has no more rights than the member, and loses them with the binding', async (t) => {
  const { a, b, named, call, member, node } = await openTeamScene(t, shared);
  const id = await node('n1', a);
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  const tokenOf = async (privileges?: string[]) =>
    call('POST', `/users/${named('ann')}/tokens`, { note: 'n', ...(privileges && { privileges }) }, ann);
  t.is((await tokenOf(['Write'])).status, 400);
  const whole = (await tokenOf()).body.token;
  const login = (await tokenOf(['Login'])).body.token;
  t.is((await call('GET', `/nodes/${id}`, undefined, whole)).status, 200);
  t.is((await call('GET', `/nodes/${id}`, undefined, login)).status, 403);
  t.is(
    (await call('POST', `/users/${named('ann')}/tokens`, { note: 'n', privileges: ['ConfigureComponents'] }, login))
      .status,
    403,
  );
  t.is((await call('PATCH', `/users/${named('ann')}`, { bindings: [{ role: 'Operator', team: b }] })).status, 200);
  for (const token of [ann, whole]) t.is((await call('GET', `/nodes/${id}`, undefined, token)).status, 404);
});

test.serial('bindings are granted by those who have the rights, and name roles and teams that exist', async (t) => {
  const { a, b, named, call, member } = await openTeamScene(t, shared);
  await call('POST', '/roles', { role: named('Clerk'), privileges: ['Login', 'ConfigureUsers', 'Read'] });
  const clerk = await member('clerk', [], named('Clerk'));
  const create = (bindings: TeamBindings, token?: string) =>
    call('POST', '/users', { username: named('x'), password: PASSWORD, bindings }, token);
  t.is((await create([{ role: 'Administrator', team: a }], clerk)).status, 403);
  t.is((await create([])).body.errors[0].path, 'role');
  t.is((await create([{ role: 'None', team: a }])).body.errors[0].path, 'bindings.0.role');
  t.is((await create([{ role: 'Operator', team: 'none' }])).body.errors[0].path, 'bindings.0.team');
  t.is((await call('GET', `/users/${named('x')}`)).status, 404);
  const ann = await member('ann', [{ role: 'Administrator', team: a }]);
  t.is((await create([{ role: 'ReadOnly', team: a }], ann)).status, 403);
  t.is(
    (await call('PATCH', `/users/${named('clerk')}`, { bindings: [{ role: 'Administrator', team: a }] }, clerk)).status,
    403,
  );
  t.is((await call('PATCH', `/users/${named('ann')}`, { bindings: [] })).status, 400);
  await call('DELETE', '/users/site');
  const last = { role: null, bindings: [{ role: 'Operator', team: a }] };
  t.is((await call('PATCH', '/users/Administrator', last)).status, 409);
  t.is((await call('DELETE', `/roles/${named('Clerk')}`)).status, 409);
  t.like(await call('GET', `/users/${named('ann')}`), { body: { bindings: [{ role: 'Administrator', team: a }] } });
  t.deepEqual(
    (await call('GET', '/teams', undefined, ann)).body.map(({ name }: { name: string }) => name),
    [a],
  );
  t.is((await call('GET', `/teams/${b}`, undefined, ann)).status, 404);
});

test.serial('a team that something names is not deleted, and a name is used once', async (t) => {
  const { a, named, call, member, node, it } = await openTeamScene(t, shared);
  const id = await node('n1', a);
  const remove = async (pattern: RegExp) => {
    const { status, body } = await call('DELETE', `/teams/${a}`);
    t.is(status, 409);
    t.regex(body.message, pattern);
  };
  t.is((await call('POST', '/teams', { name: a })).status, 409);
  await remove(/owns the node/);
  const { id: workflow } = await it.launch('Graph.noop-example', {}, id);
  await it.finished(workflow);
  t.is((await call('PATCH', `/nodes/${id}`, { owner: null })).status, 200);
  t.false('owner' in (await call('GET', `/nodes/${id}`)).body);
  await remove(/workflow .* is its own/);
  await call('DELETE', `/workflows/${workflow}`);
  await member('ann', [{ role: 'Operator', team: a }]);
  await remove(/the user ann-/);
  await call('DELETE', `/users/${named('ann')}`);
  t.is((await call('DELETE', `/teams/${a}`)).status, 204);
  t.is((await call('POST', '/nodes', [{ type: 'compute', name: 'x', owner: a }])).body.errors[0].path, '[0].owner');
});
