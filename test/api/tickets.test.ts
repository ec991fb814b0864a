/** /tickets as users see them: the rights, the gate of launches, the audit log. */
import test, { type ExecutionContext } from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

async function scene(t: ExecutionContext) {
  const it = await openEngine({
    approvals: [{ graphs: ['Graph.noop-example'], approvals: 2, roles: ['Operator'], validMinutes: 30 }],
  });
  t.teardown(() => it.close());
  const { send, as } = await serve(t, northbound, it.engine);
  const { id: node } = await it.node();
  const [alice, bob, carol, admin, reader] = await Promise.all([
    as('Operator', 'alice'),
    as('Operator', 'bob'),
    as('Operator', 'carol'),
    as('Administrator'),
    as('ReadOnly'),
  ]);
  const call = (token: string, method: string, path: string, body?: unknown) =>
    send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  const act = (token: string, id: string, command: string, note?: string) =>
    call(token, 'PUT', `/tickets/${id}/action`, { command, ...(note !== undefined && { note }) });
  const launch = (ticket?: string) =>
    call(alice, 'POST', `/nodes/${node}/workflows`, { name: 'Graph.noop-example', ...(ticket && { ticket }) });
  const ask = () => call(alice, 'POST', '/tickets', { launch: { name: 'Graph.noop-example', nodeId: node } });
  return { it, node, call, act, launch, ask, alice, bob, carol, admin, reader };
}

test('two users with one of the roles approve, never the one who asked; the launch and the audit log name them', async (t) => {
  const { it, node, call, act, launch, ask, alice, bob, carol, admin, reader } = await scene(t);
  t.like((await launch()).body, { code: 'TICKET_REQUIRED', status: 409 });
  const asked = await ask();
  t.is(asked.status, 201);
  const { id } = asked.body;
  t.is(asked.headers.get('location'), `/api/2.0/tickets/${id}`);
  t.like(asked.body, { status: 'requested', requestedBy: 'alice', needed: { approvals: 2, roles: ['Operator'] } });
  t.like(asked.body.plan, { graph: 'Graph.noop-example', node, refusals: [], rejections: [] });
  t.is(Date.parse(asked.body.expiresAt) - Date.parse(asked.body.createdAt), 1_800_000);
  t.deepEqual((await call(reader, 'GET', '/tickets?status=requested')).body, [asked.body]);
  const own = await act(alice, id, 'approve');
  t.like(own, { status: 403, body: { message: 'Forbidden', code: 'FORBIDDEN' } });
  t.deepEqual((await act(reader, id, 'approve')).body.requiredPrivileges, ['ConfigureManager']);
  t.like(await act(bob, id, 'approve', 'seen'), { status: 202, body: { status: 'requested' } });
  t.is((await act(bob, id, 'approve')).status, 409);
  t.is((await act(bob, id, 'withdraw')).status, 403);
  t.is((await launch(id)).status, 409);
  const approved = await act(carol, id, 'approve');
  t.like(approved.body, {
    status: 'approved',
    approvals: [
      { by: 'bob', note: 'seen' },
      { by: 'carol', note: null },
    ],
  });
  const launched = await launch(id);
  t.is(launched.status, 201);
  t.like(launched.body.ticket, { id, requestedBy: 'alice', approvals: [{ by: 'bob' }, { by: 'carol' }] });
  t.like((await call(admin, 'GET', `/tickets/${id}`)).body, {
    status: 'used',
    usedBy: `workflows/${launched.body.id}`,
  });
  for (const command of ['approve', 'reject']) t.is((await act(admin, id, command)).status, 409, command);
  const entries = await it.engine.audit.list(0, 1_000);
  const named = entries.filter(({ ticket }) => ticket !== undefined);
  t.is(named.length, 1);
  t.like(named[0], { ticket: id, ticketRequestedBy: 'alice', ticketApprovedBy: ['bob', 'carol'], user: 'alice' });
});

test('a ticket is rejected by a user who may approve, and withdrawn by the one who asked; unknown ones are 404', async (t) => {
  const { call, act, ask, launch, alice, admin } = await scene(t);
  const { id } = (await ask()).body;
  t.like(await act(admin, id, 'reject', 'not today'), {
    status: 202,
    body: { status: 'rejected', rejection: { by: 'Administrator', note: 'not today' } },
  });
  t.like((await launch(id)).body, { code: 'TICKET_REQUIRED' });
  const other = (await ask()).body;
  t.is((await act(alice, other.id, 'withdraw')).body.status, 'withdrawn');
  t.is((await act(alice, other.id, 'withdraw')).status, 409);
  t.is((await act(admin, 'none', 'approve')).status, 404);
  t.like((await launch('none')).body, { status: 404, errors: [{ path: 'ticket' }] });
  for (const body of [
    {},
    { launch: { name: 'Graph.noop-example' }, rollout: {} },
    { launch: { name: 'x', ticket: 'y' } },
  ])
    t.is((await call(alice, 'POST', '/tickets', body)).status, 400, JSON.stringify(body));
  t.is((await call(alice, 'POST', '/tickets', { launch: { name: 'Graph.None' } })).status, 404);
  t.is(
    (await call(alice, 'POST', '/workflows/plan', { name: 'Graph.noop-example' })).body.refusals[0].code,
    'TICKET_REQUIRED',
  );
});
