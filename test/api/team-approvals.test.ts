/** Tickets, failures and schedules of members of a team. */
import test from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { NOOP, openTeamScene } from '../support/servers/team-scene.ts';

let shared: TestEngine;

const FAILURE = {
  friendlyName: 'Fails',
  injectableName: 'Graph.Team.Fails',
  tasks: [{ label: 'fails', taskName: 'Task.Fixture.Fail' }],
};

test.before(async () => {
  shared = await openEngine({ approvals: [{ graphs: [NOOP], roles: ['Operator'] }] });
  await shared.engine.library.putGraph(FAILURE);
});
test.after.always(() => shared?.close());

test.serial('another person of the team approves the ticket of a member, who launches with it', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const [ann, amy, ben, reader] = [
    await member('ann', [{ role: 'Operator', team: a }]),
    await member('amy', [{ role: 'Operator', team: a }]),
    await member('ben', [{ role: 'Administrator', team: b }]),
    await member('reader', [{ role: 'ReadOnly', team: a }]),
  ];
  const launch = (ticket: string | undefined, token: string, id = own) =>
    call('POST', `/nodes/${id}/workflows`, { name: NOOP, ...(ticket && { ticket }) }, token);
  t.is((await launch(undefined, ann)).body.code, 'TICKET_REQUIRED');
  t.is((await call('POST', '/tickets', { launch: { name: NOOP } }, ann)).status, 400);
  t.is((await call('POST', '/tickets', { launch: { name: NOOP, node: other } }, ann)).status, 404);
  const made = await call('POST', '/tickets', { launch: { name: NOOP, node: own } }, ann);
  t.like(made, { status: 201, body: { owner: a, status: 'requested' } });
  const { id } = made.body;
  const act = (command: string, token: string) => call('PUT', `/tickets/${id}/action`, { command }, token);
  t.is((await act('approve', ann)).status, 403);
  t.is((await act('approve', reader)).status, 403);
  for (const command of ['approve', 'reject', 'withdraw']) t.is((await act(command, ben)).status, 404);
  t.like(await act('approve', amy), { status: 202, body: { status: 'approved' } });
  const site = await call('POST', '/tickets', { launch: { name: NOOP, node: own } });
  const unknown = await launch(site.body.id, ann);
  t.like(unknown, { status: 404, body: { message: `no ticket has the id ${site.body.id}` } });
  const theirs = await launch(id, ben, other);
  t.like(theirs, { status: 404, body: { message: `no ticket has the id ${id}` } });
  const started = await launch(id, ann);
  t.is(started.status, 201, JSON.stringify(started.body));
  await it.finished(started.body.id);
  t.deepEqual(
    (await call('GET', '/tickets', undefined, reader)).body.map((ticket: { id: string }) => ticket.id),
    [id],
  );
  const events = await call('GET', '/events?limit=1000&type=ticket', undefined, amy);
  t.true(events.body.length >= 3);
  for (const event of events.body) t.like(event, { typeId: id, owner: a });
  t.deepEqual((await call('GET', '/events?limit=1000&type=ticket', undefined, ben)).body, []);
});

test.serial('a member sees the failures of the team, without the notes and the workflows of others', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const ann = await member('ann', [{ role: 'Operator', team: a }]);
  t.deepEqual((await call('GET', '/failures', undefined, ann)).body, []);
  for (const id of [own, other, other]) await it.finished((await it.launch(FAILURE.injectableName, {}, id)).id);
  const [all] = (await call('GET', '/failures')).body;
  t.is(all.count, 3);
  const noted = await call('PUT', `/failures/${all.id}/action`, { command: 'address', note: 'secret' });
  t.is(noted.status, 200);
  const { body } = await call('GET', '/failures', undefined, ann);
  t.like(body, { length: 1, 0: { count: 1, nodes: 1, addressed: null, note: null } });
  t.deepEqual((await call('GET', '/failures?addressed=true', undefined, ann)).body, []);
  t.is((await call('PUT', `/failures/${all.id}/action`, { command: 'retry' }, ann)).status, 403);
});

test.serial('a schedule of a member launches as the team, on the nodes that it has then', async (t) => {
  const { a, b, call, member, node, it } = await openTeamScene(t, shared);
  const [own, other] = [await node('n1', a), await node('n2', b)];
  const ann = await member('ann', [
    { role: 'Administrator', team: a, graphs: ['Graph.Power*', FAILURE.injectableName] },
  ]);
  const ben = await member('ben', [{ role: 'Administrator', team: a, graphs: ['Graph.noop*'] }]);
  const when = { at: '2099-01-01T00:00:00Z' };
  const create = (launch: object, token = ann) =>
    call('POST', '/schedules', { name: 'nightly', when, overlap: 'queue', launch }, token);
  t.is((await create({ name: NOOP, nodes: [own] })).status, 403);
  const unknown = await create({ name: FAILURE.injectableName, nodes: [own, other] });
  t.like(unknown, { status: 404, body: { message: `Could not find node with identifier ${other}` } });
  const made = await create({ name: FAILURE.injectableName, filter: { type: 'compute' } });
  t.like(made, { status: 201, body: { owner: a } });
  const { id } = made.body;
  const run = (token: string) => call('PUT', `/schedules/${id}/action`, { command: 'run-now' }, token);
  t.is((await run(ben)).status, 403);
  t.is((await call('PATCH', `/schedules/${id}`, { launch: { name: NOOP, nodes: [own] } }, ann)).status, 403);
  t.is((await run(ann)).status, 202);
  await it.until(async () => (await call('GET', `/schedules/${id}/runs`, undefined, ann)).body.length > 0);
  const [{ batch }] = (await call('GET', `/schedules/${id}/runs`, undefined, ann)).body;
  const { body } = await call('GET', `/batches/${batch}`, undefined, ann);
  t.like(body, { team: a, launched: [{ node: own }], rejected: [] });
  t.is(body.launched.length, 1);
  const times = async (token: string) =>
    (await call('GET', '/calendar?from=2098-12-31T00:00:00Z&to=2099-01-02T00:00:00Z', undefined, token)).body.times;
  t.like(await times(ann), { length: 1, 0: { id, kind: 'schedule' } });
  t.deepEqual(await times(await member('bea', [{ role: 'Administrator', team: b }])), []);
  t.is((await call('DELETE', `/schedules/${id}`, undefined, ann)).status, 204);
});
