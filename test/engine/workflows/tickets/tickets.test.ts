/** Tickets on the real engine: each start of a workflow passes the gate. */
import test, { type ExecutionContext } from 'ava';
import type { ConfigFile } from '../../../../engine/platform/config/config.ts';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const ERASE = 'Graph.Test.Erase';
const options = { erase: { eraseSettings: [{ disks: [5] }] } };
const requester = { username: 'alice', tokenId: 'a' };
const approver = { username: 'bob', tokenId: 'b' };

const drive = {
  devName: 'sdb',
  identifier: 5,
  esxiWwid: '',
  linuxWwid: '/dev/disk/by-id/b',
  scsiId: '0:0:1:0',
  virtualDisk: '',
};

async function scene(t: ExecutionContext, approvals: ConfigFile['approvals'] = [{ destructive: true }]) {
  const it = await openEngine({ approvals, env: { erasing: ERASE } });
  t.teardown(() => it.close());
  const tasks = [{ label: 'erase', taskName: 'Task.Drive.SecureErase' }];
  await it.engine.library.putGraph({ friendlyName: 'Erase', injectableName: ERASE, tasks });
  const putDrive = (node: string, serial: string) => it.engine.catalogs.add(node, 'driveId', [{ ...drive, serial }]);
  const newNode = async (serial = 'S1') => {
    const { id } = await it.node();
    await putDrive(id, serial);
    return id;
  };
  const { tickets, launches } = it.engine;
  const launch = { name: ERASE, options };
  const ask = (nodeId: string, more: object = {}) =>
    tickets.create({ launch: { ...launch, nodeId, ...more } }, requester);
  const approve = (id: string) => tickets.act(id, { command: 'approve', note: 'seen' }, approver);
  const approved = async (node: string) => {
    const { id } = await ask(node);
    await approve(id);
    return id;
  };
  const run = (nodeId: string, ticket?: string, more: object = {}) =>
    launches.launch({ ...launch, nodeId, ...(ticket !== undefined && { ticket }), ...more });
  return { it, putDrive, newNode, ask, approve, approved, run };
}

/** @returns the error of a rejection */
const errorOf = (call: Promise<unknown>): Promise<Partial<NodewrightError>> =>
  call.then(
    () => ({}),
    (error: NodewrightError) => error,
  );

test('a destructive graph needs an approved ticket, which is used once and recorded in its workflow', async (t) => {
  const { it, newNode, ask, approve, run } = await scene(t);
  const node = await newNode();
  await t.throwsAsync(run(node), { code: 'TICKET_REQUIRED' });
  const planned = await it.engine.plans.plan({ name: ERASE, options, nodeId: node });
  t.deepEqual(
    planned.rejections.map(({ code }) => code),
    ['TICKET_REQUIRED'],
  );
  const ticket = await ask(node);
  t.like(ticket, { status: 'requested', requestedBy: 'alice', approvals: [] });
  t.deepEqual(ticket.subjects, [{ node, name: 'node 1', drives: [{ name: 'sdb', serial: 'S1' }] }]);
  await t.throwsAsync(run(node, ticket.id), { code: 'TICKET_REQUIRED', message: /is requested/ });
  await t.throwsAsync(run(node, 'none'), { code: 'NOT_FOUND' });
  const { tickets } = it.engine;
  for (const by of [requester, { username: 'carol', tokenId: 'a' }, { username: null, tokenId: null }])
    await t.throwsAsync(tickets.act(ticket.id, { command: 'approve' }, by), { code: 'FORBIDDEN' });
  await t.throwsAsync(tickets.act(ticket.id, { command: 'withdraw' }, approver), { code: 'FORBIDDEN' });
  t.like(await approve(ticket.id), { status: 'approved', approvals: [{ by: 'bob', note: 'seen' }] });
  await t.throwsAsync(approve(ticket.id), { code: 'CONFLICT', message: /is approved/ });
  const { id } = await run(node, ticket.id);
  t.like((await it.get(id)).ticket, { id: ticket.id, requestedBy: 'alice', approvals: [{ by: 'bob' }] });
  t.like(await tickets.get(ticket.id), { status: 'used', usedBy: `workflows/${id}` });
  await it.engine.control.cancel(id);
  await it.finished(id);
  await t.throwsAsync(run(node, ticket.id), { code: 'TICKET_REQUIRED', message: /is used by workflows/ });
  t.deepEqual(
    ['requested', 'approved', 'used'].map((action) => it.of(ticket.id, action).length),
    [1, 1, 1],
  );
});

test('a swapped drive, other options, another version and another node are named, and the ticket stays', async (t) => {
  const { it, newNode, putDrive, approved, run } = await scene(t);
  const node = await newNode();
  const ticket = await approved(node);
  await putDrive(node, 'S2');
  await t.throwsAsync(run(node, ticket), { code: 'TICKET_MISMATCH', message: /S2.*S1/ });
  await putDrive(node, 'S1');
  const other = { erase: { eraseSettings: [{ disks: [5], tool: 'sg_format' }] } };
  const differing = await errorOf(run(node, ticket, { options: other }));
  t.is(differing.code, 'TICKET_MISMATCH');
  t.is(differing.violations?.[0]?.path, 'options.erase.eraseSettings');
  await t.throwsAsync(run(await newNode(), ticket), { code: 'TICKET_MISMATCH', message: /does not name/ });
  const tasks = [{ label: 'erase', taskName: 'Task.Drive.SecureErase' }];
  await it.engine.library.putGraph({
    friendlyName: 'Changed',
    injectableName: ERASE,
    tasks: [...tasks, { label: 'x', taskName: 'Task.noop' }],
  });
  await t.throwsAsync(run(node, ticket), { code: 'TICKET_MISMATCH', message: /definition/ });
  await it.engine.library.putGraph({ friendlyName: 'Erase', injectableName: ERASE, tasks });
  const hold = await it.engine.holds.add(node, { kind: 'repair', reason: 'a fan' }, 'x');
  await t.throwsAsync(run(node, ticket), { code: 'NODE_HELD' });
  await it.engine.holds.remove(node, hold.id);
  t.is((await it.engine.tickets.get(ticket))?.status, 'approved');
  t.truthy((await run(node, ticket)).id);
});

test('a drive without a known serial number gets no ticket', async (t) => {
  const { it, ask } = await scene(t);
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'driveId', [drive]);
  await t.throwsAsync(ask(id), { code: 'DRIVE_SERIAL_UNKNOWN', message: /sdb/ });
  const { rejections } = await it.engine.plans.plan({ name: ERASE, options, nodeId: id });
  t.deepEqual(
    rejections.map(({ code }) => code),
    ['TICKET_REQUIRED', 'DRIVE_SERIAL_UNKNOWN'],
  );
  await it.engine.catalogs.add(id, 'lsblk', { blockdevices: [{ name: 'sdb', serial: 'L1' }] });
  t.deepEqual((await ask(id)).subjects[0]?.drives, [{ name: 'sdb', serial: 'L1' }]);
});

test('each way to start a workflow passes the gate: retry, batch, child; a child that the ticket covers needs no other', async (t) => {
  const { it, newNode, approved, run, ask, approve } = await scene(t);
  const node = await newNode();
  const { id } = await run(node, await approved(node));
  await it.engine.control.cancel(id);
  await it.finished(id);
  await t.throwsAsync(it.engine.launches.retry(id, { from: 'start', acknowledge: ['erase'] }), {
    code: 'TICKET_REQUIRED',
  });
  const batch = await it.engine.batches.create({ name: ERASE, options, nodes: [node] });
  await it.until(async () => (await it.engine.batches.get(batch.id))?.status === 'finished');
  t.like(await it.engine.batches.get(batch.id), { rejected: [{ node, code: 'TICKET_REQUIRED' }], launched: [] });
  const runs = (name: string) => [
    { label: 'run', taskName: 'Task.Graph.Run', optionOverrides: { graphName: name, graphOptions: options } },
  ];
  await it.engine.library.putGraph({ friendlyName: 'Parent', injectableName: 'Graph.Test.Parent', tasks: runs(ERASE) });
  const parent = { name: 'Graph.Test.Parent', options: {} };
  await t.throwsAsync(run(node, undefined, parent), { code: 'TICKET_REQUIRED' });
  const ticket = await ask(node, parent);
  await approve(ticket.id);
  const row = await run(node, ticket.id, parent);
  const child = async () => (await it.engine.workflows.list({ skip: 0, limit: 1, filter: { root: row.id } })).items[0];
  await it.until(async () => (await child()) !== undefined);
  t.is((await child())?.ticket?.id, ticket.id);
  await it.engine.control.cancel(row.id);
  await it.finished(row.id);
  // The daemon knows the name of this graph only when the task runs.
  await it.engine.library.putGraph({
    friendlyName: 'Late',
    injectableName: 'Graph.Test.Late',
    tasks: runs('{{ env.erasing }}'),
  });
  const late = await run(node, undefined, { name: 'Graph.Test.Late', options: {} });
  t.like((await it.finished(late.id)).error, { code: 'TICKET_REQUIRED' });
});

test('a rollout without a ticket is rejected; with one that is not approved yet it is paused, and begins when it is', async (t) => {
  const { it, newNode, approve } = await scene(t);
  const nodes = [await newNode('S1'), await newNode('S2')];
  const { rollouts, tickets } = it.engine;
  const rollout = { graph: ERASE, options, nodes, seed: 1 };
  await t.throwsAsync(rollouts.create(rollout), { code: 'TICKET_REQUIRED' });
  const ticket = await tickets.create({ rollout }, requester);
  t.deepEqual(ticket.subjects.flatMap(({ drives }) => drives.map(({ serial }) => serial)).sort(), ['S1', 'S2']);
  await t.throwsAsync(rollouts.create({ ...rollout, nodes: nodes.slice(0, 1), ticket: ticket.id }), {
    code: 'TICKET_MISMATCH',
    message: /lack the node/,
  });
  const { id, status, reason } = await rollouts.create({ ...rollout, ticket: ticket.id });
  t.like({ status, reason }, { status: 'paused', reason: { kind: 'ticket' } });
  await t.throwsAsync(rollouts.create({ ...rollout, ticket: ticket.id }), { code: 'TICKET_REQUIRED' });
  const waits = async () => (await it.engine.diagnosis.whyNode(nodes[0] ?? '')).rollouts;
  t.like(await waits(), [{ id, reason: 'ticket' }]);
  t.regex((await waits())[0]?.detail ?? '', /its ticket \S+ is not approved yet$/);
  const dropped = await tickets.create({ rollout }, requester);
  const never = await rollouts.create({ ...rollout, ticket: dropped.id });
  await tickets.act(dropped.id, { command: 'withdraw' }, requester);
  const detail = (await waits()).find((wait) => wait.id === never.id)?.detail;
  t.regex(detail ?? '', /its ticket \S+ is withdrawn; cancel the rollout, and create it again with another ticket$/);
  await rollouts.act(never.id, { command: 'cancel' });
  await approve(ticket.id);
  await it.until(async () => (await rollouts.get(id))?.counts.running === 2);
  t.like(await tickets.get(ticket.id), { status: 'used', usedBy: `rollouts/${id}` });
  const launched = async () => (await it.engine.workflows.list({ skip: 0, limit: 10, filter: { rollout: id } })).items;
  await it.until(async () => (await launched()).length === 2);
  t.deepEqual(
    (await launched()).map((row) => row.ticket?.id),
    [ticket.id, ticket.id],
  );
  await rollouts.act(id, { command: 'cancel', cancelRunning: true });
  await it.until(async () => (await rollouts.get(id))?.finishedAt !== null);
});

test('a batch carries one ticket for all of its nodes, which is compared with them and used once', async (t) => {
  const { it, newNode, approve } = await scene(t);
  const nodes = [await newNode('S1'), await newNode('S2')];
  const { batches, tickets } = it.engine;
  const batch = { name: ERASE, options, nodes };
  const bare = await batches.create(batch);
  t.deepEqual(
    bare.rejected.map(({ code }) => code),
    ['TICKET_REQUIRED', 'TICKET_REQUIRED'],
  );
  const ticket = await tickets.create({ batch: { graph: ERASE, options, nodes } }, requester);
  t.like(ticket, { kind: 'batch', status: 'requested', subjects: { length: 2 } });
  const { id } = ticket;
  await t.throwsAsync(batches.create({ ...batch, ticket: id }), { code: 'TICKET_REQUIRED', message: /is requested/ });
  await approve(id);
  const more = { ...batch, nodes: [...nodes, await newNode('S3')], ticket: id };
  await t.throwsAsync(batches.create(more), { code: 'TICKET_MISMATCH', message: /does not name/ });
  await t.throwsAsync(batches.create({ ...batch, nodes: nodes.slice(1), ticket: id }), { code: 'TICKET_MISMATCH' });
  await t.throwsAsync(it.engine.launches.launch({ name: ERASE, options, nodeId: nodes[0] as string, ticket: id }), {
    code: 'TICKET_MISMATCH',
    message: /is for a batch/,
  });
  const begun = await batches.create({ ...batch, ticket: id });
  await it.until(async () => (await batches.get(begun.id))?.launched.length === 2);
  t.like(await tickets.get(id), { status: 'used', usedBy: `batches/${begun.id}` });
  for (const { workflow } of (await batches.get(begun.id))?.launched ?? [])
    t.like((await it.get(workflow)).ticket, { id, requestedBy: 'alice', approvals: [{ by: 'bob' }] });
  t.is(it.of(id, 'used').length, 1);
  await t.throwsAsync(batches.create({ ...batch, ticket: id }), {
    code: 'TICKET_REQUIRED',
    message: /is used by batch/,
  });
  await batches.cancel(begun.id);
});

test('the ticket of a batch of one node is for a launch on it, and the reverse', async (t) => {
  const { it, newNode, approve } = await scene(t);
  const { batches, tickets, launches } = it.engine;
  const [one, other] = [await newNode('S1'), await newNode('S2')];
  const ofBatch = await tickets.create({ batch: { graph: ERASE, options, nodes: [one] } }, requester);
  await approve(ofBatch.id);
  const launch = { name: ERASE, options, ticket: ofBatch.id };
  await t.throwsAsync(launches.launch({ ...launch, nodeId: other }), { code: 'TICKET_MISMATCH', message: /node: is/ });
  const { id } = await launches.launch({ ...launch, nodeId: one });
  t.like(await tickets.get(ofBatch.id), { status: 'used', usedBy: `workflows/${id}` });

  const ofLaunch = await tickets.create({ launch: { name: ERASE, options, nodeId: other } }, requester);
  await approve(ofLaunch.id);
  const begun = await batches.create({ name: ERASE, options, nodes: [other], ticket: ofLaunch.id });
  await it.until(async () => (await batches.get(begun.id))?.launched.length === 1);
  t.like(await tickets.get(ofLaunch.id), { status: 'used', usedBy: `batches/${begun.id}` });
});

test('a rule of approvals knows the filters of the list of nodes', async (t) => {
  const held = { graphs: ['Graph.noop-example'], filter: { held: true } };
  const named = { graphs: ['Graph.noop-example'], filter: { 'name.prefix': 'prod-', autoDiscover: 'false' } };
  const { it } = await scene(t, [held, named]);
  const run = (nodeId: string) => it.engine.launches.launch({ name: 'Graph.noop-example', options: {}, nodeId });
  const { id: free } = await it.node();
  await it.finished((await run(free)).id);
  const { id: production } = await it.engine.nodes.create({ type: 'compute', name: 'prod-1' });
  await t.throwsAsync(run(production), { code: 'TICKET_REQUIRED' });
  await it.engine.holds.add(free, { kind: 'repair', reason: 'a fan', blocks: ['poll'] }, 'x');
  await t.throwsAsync(run(free), { code: 'TICKET_REQUIRED' });
});
