/** The rules of `approvals`, and tickets between two processes. */
import test from 'ava';
import { neededApproval, readRules } from '../../../../engine/workflows/approvals/approval-rules.ts';
import { isPartOf, workDifferences } from '../../../../engine/workflows/approvals/planned-work.ts';
import { type StoredTicket, ticketSpec } from '../../../../engine/workflows/approvals/stored-ticket.ts';
import { TicketChanges } from '../../../../engine/workflows/approvals/ticket-changes.ts';
import { unusedBy, usedFor } from '../../../../engine/workflows/approvals/ticket-state.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const definitions = [{ graph: 'Graph.Erase', hash: 'h1' }];
const work = {
  node: 'n1',
  definitions,
  isDestructive: true,
  drives: [{ name: 'sda', serial: 'S1' }],
  hasUnknownDrives: false,
};

test('of several rules that fit, the strictest part of each holds', async (t) => {
  const rules = readRules([
    { graphs: ['Graph.Erase'], roles: ['A', 'B'], validMinutes: 60 },
    { destructive: true as const, approvals: 2, roles: ['B', 'C'] },
    { destructive: true as const, approvals: 3, filter: { tags: 'prod,core' } },
  ]);
  const [no, yes] = [async () => false, async () => true];
  t.deepEqual(await neededApproval(rules, work, no), { approvals: 2, roles: ['B'], validMinutes: 60 });
  t.is((await neededApproval(rules, work, yes))?.approvals, 3);
  t.is(await neededApproval(rules, { definitions: [], isDestructive: false }, yes), undefined);
});

test('a filter that lists of nodes do not have is a wrong configuration', (t) => {
  for (const filter of [{ colour: 'red' }, { busy: 'maybe' }, { 'createdAt.gte': 'yesterday' }])
    t.throws(() => readRules([{ destructive: true }, { destructive: true, filter }]), {
      code: 'CONFIG_INVALID',
      message: /approvals\.1\.filter/,
    } as never);
});

test('another version, drive or graph is a difference, and a child is covered if the plan has its graph and drives', (t) => {
  t.deepEqual(workDifferences(work, work), []);
  const swapped = workDifferences(work, { ...work, drives: [{ name: 'sda', serial: 'S2' }] });
  t.regex(swapped.map(({ message }) => message).join('\n'), /sda.*S2[\s\S]*sda.*S1/);
  t.is(workDifferences(work, { ...work, definitions: [{ graph: 'Graph.Erase', hash: 'h2' }] })[0]?.path, 'definition');
  t.is(
    workDifferences(work, { ...work, drives: [{ name: 'sdb', serial: 'S1' }] }).length,
    0,
    'names change, serials do not',
  );
  t.true(isPartOf(work, { ...work, drives: [] }));
  t.false(isPartOf(work, { ...work, definitions: [{ graph: 'Graph.Other', hash: 'h1' }] }));
  t.false(isPartOf(work, { ...work, drives: [{ name: 'sdb', serial: 'S3' }] }));
});

async function storedTicket() {
  const store = new MemoryStore();
  const stored = await store.collection<StoredTicket>(ticketSpec);
  const at = new Date().toISOString();
  const ticket = {
    id: 't',
    version: 1,
    kind: 'launch',
    graph: 'Graph.Erase',
    status: 'approved',
    works: [],
    approvals: [],
    usedBy: null,
    unpublished: [],
    pending: false,
    events: 2,
    requestedBy: 'alice',
    updatedAt: at,
    expiresAt: '2099-01-01T00:00:00.000Z',
  };
  await stored.insert(ticket as never);
  const actions: string[] = [];
  const process = () =>
    new TicketChanges(stored, {
      publish: async (all) => void actions.push(...all.map(({ body }) => (body as { action: string }).action)),
    });
  return { stored, process, actions };
}

test('a ticket is used once, whatever dies: the next process publishes the event, and no other launch gets the ticket', async (t) => {
  const { stored, process, actions } = await storedTicket();
  // The process dies after this save: it neither launches nor publishes.
  await process().change('t', (ticket, at) => usedFor(ticket, 'workflows/w1', at));
  const next = process();
  await t.throwsAsync(
    next.change('t', (ticket, at) => usedFor(ticket, 'workflows/w2', at)),
    { code: 'TICKET_REQUIRED', message: /used by workflows\/w1/ },
  );
  await next.publishLeft();
  t.deepEqual(actions, [], 'its own process may still publish it');
  await stored.update({ id: 't' }, { $set: { updatedAt: new Date(0).toISOString() } });
  await next.publishLeft();
  await next.publishLeft();
  t.deepEqual(actions, ['used']);
  t.like(await stored.get('t'), { status: 'used', pending: false });
});

test('of two launches with one ticket one gets it; a rejected launch gives it back without an event', async (t) => {
  const { process, actions } = await storedTicket();
  const both = await Promise.allSettled(
    ['w1', 'w2'].map((id) => process().change('t', (ticket, at) => usedFor(ticket, `workflows/${id}`, at))),
  );
  t.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const user = (await process().get('t'))?.usedBy ?? '';
  t.like(await process().change('t', (ticket) => unusedBy(ticket, user)), { status: 'approved', usedBy: null });
  t.like(await process().change('t', (ticket, at) => usedFor(ticket, 'workflows/w3', at)), { status: 'used' });
  t.deepEqual(actions, []);
});

test('a ticket whose time is over is expired, with one event', async (t) => {
  const { stored, process, actions } = await storedTicket();
  await stored.update({ id: 't' }, { $set: { expiresAt: new Date(0).toISOString() } });
  t.is((await process().get('t'))?.status, 'expired');
  await t.throwsAsync(
    process().change('t', (ticket, at) => usedFor(ticket, 'workflows/w', at)),
    { message: /is expired/ },
  );
  await process().publishLeft();
  await process().publishLeft();
  t.deepEqual(actions, ['expired']);
});
