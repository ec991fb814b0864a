/** The plan beside the form of a launch, the reasons why it cannot start, and its ticket. */
import test from 'ava';
import type { LaunchNode, PlanOfNode } from '../../api/console/data/launch-node.ts';
import { nodeCan } from '../../api/console/data/node-can.ts';
import { stateOfServer } from '../../api/console/data/node-status.ts';
import { needsTicket, planRows, planSum, plansByVersion } from '../../api/console/data/plan-rows.ts';
import { type LaunchTicket, ticketFor } from '../../api/console/data/ticket-match.ts';
import { isUsual } from '../../api/console/parts/launch/entered-options.ts';
import { launchReason } from '../../api/console/parts/launch/launch-reason.ts';
import { isOpenStep, rejectionText, wrongText } from '../../api/console/parts/launch/rejection-text.ts';

const active = { id: 'w', name: 'Install Ubuntu', label: 'reboot', since: '' };
const held = { path: 'node', code: 'NODE_HELD', message: 'maintenance by ada: PSU swap' };
const busy = { path: 'node', code: 'NODE_BUSY', message: 'the workflow w is active on it' };
const missing = { path: 'options.erase.eraseSettings', code: 'INVALID_OPTIONS', message: 'is missing' };
const unapproved = { path: '', code: 'TICKET_REQUIRED', message: 'a ticket is missing' };

const node = (name: string, more: Partial<LaunchNode> = {}): LaunchNode => ({ id: name, name, sku: null, ...more });

/** Erases a drive of this name on each node. */
const planFor = (of: LaunchNode, rejections: readonly object[] = [], drive = 'sda'): PlanOfNode =>
  ({
    node: of,
    plan: {
      definitionHash: 'v1',
      rejections,
      tasks: [{ label: 'erase', destructive: true, drives: [{ name: drive, wwid: drive }], options: { drive } }],
    },
  }) as unknown as PlanOfNode;

const [one, two, three] = [node('n1'), node('n2', { active }), node('n3')];

test('of several nodes the sum says how many can be launched on, and what is destroyed there', (t) => {
  const plans = [planFor(one), planFor(two, [busy]), planFor(three, [held])];
  t.like(planSum([one, two, three], plans), { ready: 1, busy: 1, held: 1, rejected: 0, drives: 1, erased: 1 });
  const rows = planRows([one, two, three, node('n4')], plans);
  t.deepEqual(
    rows.map((row) => [row.node.name, row.destroys !== undefined, row.rejections.map(({ code }) => code)]),
    [
      ['n1', true, []],
      ['n2', false, ['NODE_BUSY']],
      ['n3', false, ['NODE_HELD']],
    ],
  );
  t.is(plansByVersion(plans).length, 1);
});

test('a rejection that all nodes have is named once', (t) => {
  const plans = [planFor(one, [missing]), planFor(three, [missing, held])];
  t.deepEqual(planSum([one, three], plans).common, [missing]);
  t.deepEqual(
    planRows([one, three], plans).map(({ rejections }) => rejections),
    [[held]],
  );
});

test('a launch that cannot start says why', (t) => {
  const reason = (nodes: readonly LaunchNode[], plans: readonly PlanOfNode[] | undefined, more = {}) =>
    launchReason({ nodes, plans, isReadable: true, isReady: true, ...more });
  t.is(reason([one], [planFor(one)]), undefined);
  t.is(reason([one], undefined), 'The plan is being made.');
  t.is(reason([one], [planFor(one)], { isReadable: false }), 'An option cannot be read: correct it.');
  t.is(reason([one], [planFor(one, [missing])]), 'Choose the drives to erase.');
  t.is(reason([three], [planFor(three, [held])]), 'The node is held: maintenance by ada: PSU swap');
  t.is(reason([one, two], [planFor(one), planFor(two, [busy])]), undefined);
  t.is(reason([one, three], [planFor(one, [missing]), planFor(three, [missing])]), 'Choose the drives to erase.');
  t.regex(reason([two, three], [planFor(two, [busy]), planFor(three, [held])]) ?? '', /^No node/);
  t.regex(
    reason(
      Array.from({ length: 10_001 }, () => one),
      [],
    ) ?? '',
    /^A batch has at most 10.000 nodes/,
  );
  // The button asks for the approval then.
  t.is(reason([one], [planFor(one, [unapproved])]), undefined);
  t.true(needsTicket([planFor(one, [unapproved])]));
});

test('an option without a value is a step that is open, and a wrong one is named with its task', (t) => {
  const inOption = (path: string, message: string) => ({ path, code: 'INVALID_OPTIONS', message });
  t.true(isOpenStep(missing));
  t.false(isOpenStep(unapproved));
  const version = inOption('options.install-os.version', 'is missing');
  t.true(isOpenStep(version));
  t.is(rejectionText(version), 'Enter version (install-os).');
  const disks = inOption('options.erase.eraseSettings[0].disks', 'is missing');
  t.false(isOpenStep(disks));
  t.is(rejectionText(disks), 'eraseSettings[0].disks (erase) is missing');
  t.is(wrongText(disks, 'options.erase.eraseSettings'), '[0].disks is missing');
  t.is(
    rejectionText(inOption('options.erase.eraseSettings', 'no drive is called sdx')),
    'eraseSettings (erase): no drive is called sdx',
  );
});

test('a ticket is used for its own nodes, options and drives only, an approved one first', (t) => {
  const ticket = (id: string, status: string, drive = 'sda', of = one) =>
    ({
      id,
      status,
      kind: 'launch',
      plan: planFor(of, [], drive).plan,
      subjects: [{ node: of.id, drives: [{ name: drive }] }],
    }) as unknown as LaunchTicket;
  const tickets = [ticket('a', 'requested'), ticket('b', 'approved'), ticket('c', 'approved', 'sdb')];
  t.is(ticketFor(tickets, [one], [planFor(one)])?.id, 'b');
  t.is(ticketFor(tickets.slice(0, 1), [one], [planFor(one)])?.id, 'a');
  t.is(ticketFor(tickets, [one], [planFor(one, [], 'sdc')]), undefined);
  t.is(ticketFor(tickets, [three], [planFor(three)]), undefined);
  t.is(ticketFor(tickets, [one, three], [planFor(one), planFor(three)]), undefined);
});

test('a node that is busy, held or without a BMC says so, unless its hold blocks something else', (t) => {
  const free = { active: null, held: [], obms: [{}] };
  const kept = { ...free, held: ['maintenance' as const] };
  const hold = (block: 'launch' | 'power' | 'poll') =>
    [{ kind: 'maintenance', reason: 'PSU swap', createdBy: 'ada', blocks: [block] }] as never;
  t.is(nodeCan.launch(free), undefined);
  t.regex(nodeCan.launch({ ...kept, active }) ?? '', /busy with Install Ubuntu/);
  t.is(nodeCan.launch(kept), 'The node is held: maintenance.');
  t.is(nodeCan.launch(kept, hold('launch')), 'The node is held for maintenance by ada: PSU swap.');
  t.is(nodeCan.launch(kept, hold('power')), undefined);
  t.is(nodeCan.switchPower(kept, hold('power')), 'The node is held for maintenance by ada: PSU swap.');
  t.is(nodeCan.switchPower(kept, hold('poll')), undefined);
  t.regex(nodeCan.switchPower({ ...free, obms: [] }) ?? '', /No access to a BMC/);
});

test('in a rack a held node is not free', (t) => {
  const heldServer = { active: null, held: ['maintenance'], health: 'ok' } as const;
  t.is(stateOfServer({ ...heldServer, held: [] }), 'free');
  t.is(stateOfServer({ ...heldServer, held: ['maintenance'] }), 'held');
  t.is(stateOfServer({ ...heldServer, held: ['maintenance'], hasFailed: true }), 'failed');
});

test('the form shows the options that are required, or that the examples set and the graph does not', (t) => {
  const field = { target: 'defaults', key: 'version', labels: ['install'], schema: {}, isRequired: false };
  const examples = [{ defaults: { version: '9' }, other: { delay: 1 } }];
  t.true(isUsual({ ...field, standard: undefined }, examples));
  t.false(isUsual({ ...field, standard: '8' }, examples));
  t.false(isUsual({ ...field, key: 'delay', standard: undefined }, examples));
  t.true(isUsual({ ...field, key: 'image', isRequired: true, standard: undefined }, []));
});
