/** Why, on the real engine: what holds a node, and suggestions that can be carried out. */
import test, { type ExecutionContext } from 'ava';
import { ENOUGH_RUNS } from '../../../../engine/workflows/diagnosis/durations.ts';
import { AGENT_MS, stuckCause } from '../../../../engine/workflows/diagnosis/stuck.ts';
import { Surveyor } from '../../../../engine/workflows/diagnosis/survey.ts';
import { usual } from '../../../support/bmcs/installing.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

test('a waiting workflow explains its wait, its end and the consequence, and names the holder of the node', async (t) => {
  const it = await open(t);
  const node = await it.node();
  const { id } = await it.engine.launches.launch({
    name: 'Graph.Demo.InstallOs',
    options: {},
    nodeId: node.id,
    operator: 'op',
  });
  const why = await it.engine.diagnosis.whyNode(node.id);
  t.deepEqual(why, await it.engine.diagnosis.whyWorkflow(id));
  t.like(why, {
    status: 'running',
    node: node.id,
    holder: { workflow: id, graphName: 'Graph.Demo.InstallOs', launchedBy: 'op' },
    bmc: null,
    agent: null,
  });
  t.like(why.waits, [{ label: 'wait-os-installed', waitingOn: 'notification', usualMs: null }]);
  const { dueAt } = await it.get(id);
  t.is(why.waits[0]?.dueAt, dueAt ?? null);
  t.regex(why.waits[0]?.outcome ?? '', /TASK_TIMEOUT.*the workflow ends as failed/);
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.like(await it.engine.diagnosis.whyWorkflow(id), { status: 'cancelled', holder: null, waits: [], suggestions: [] });
  t.like(await it.engine.diagnosis.whyNode(node.id), { status: null, node: node.id, holder: null, waits: [] });
  t.is(await it.engine.diagnosis.whyWorkflow('none'), undefined);
});

test('of many waits, the leading ones have an outcome', async (t) => {
  const it = await open(t);
  const label = (n: number) => ({ label: `wait-${n}`, taskName: 'Task.Wait.Notification' });
  const tasks = Array.from({ length: 150 }, (_, n) => label(n));
  await it.engine.library.putGraph({ injectableName: 'Graph.Wide', friendlyName: 'Wide', tasks });
  const { id } = await it.launch('Graph.Wide', {});
  const { waits = [] } = (await it.engine.diagnosis.whyWorkflow(id)) ?? {};
  t.is(waits.length, 150);
  t.regex(waits[0]?.outcome ?? '', /TASK_TIMEOUT/);
  t.is(waits.at(-1)?.outcome, 'the workflow takes its next step');
  t.true(waits.every(({ dueAt }) => dueAt !== null));
  await it.engine.control.cancel(id);
  await it.finished(id);
});

test('a workflow on no node keeps no node busy, and its cancellation frees none', async (t) => {
  const it = await open(t);
  await it.node();
  const { id: apart } = await it.launch('Graph.Demo.InstallOs', {});
  await it.reached(apart, 'wait-os-installed', 'waiting');
  t.like(await it.engine.diagnosis.summary(), { nodes: { total: 1, busy: 0 } });
  const why = await it.engine.diagnosis.whyWorkflow(apart);
  t.is(why?.suggestions.find(({ action }) => action === 'cancel')?.text, 'cancel it');
  const { id: node } = await it.node();
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node);
  await it.reached(id, 'wait-os-installed', 'waiting');
  t.like(await it.engine.diagnosis.summary(), { nodes: { total: 2, busy: 1 } });
  for (const one of [apart, id]) await it.engine.control.cancel(one);
  await it.finished(id);
  t.like(await it.engine.diagnosis.summary(), { nodes: { busy: 0 } });
});

test('a parent that waits for its child says what the child waits for', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Above',
    tasks: [{ label: 'below', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Demo.InstallOs' } }],
  });
  const node = await it.node();
  const { id } = await it.launch('Graph.Test.Above', {}, node.id);
  await it.until(async () => /has to report/.test((await it.engine.diagnosis.whyWorkflow(id))?.waits[0]?.detail ?? ''));
  const [wait] = (await it.engine.diagnosis.whyWorkflow(id))?.waits ?? [];
  t.is(wait?.waitingOn, 'child');
  t.regex(wait?.detail ?? '', /of Graph\.Demo\.InstallOs has not ended: the node has to report/);
  const { items } = await it.engine.workflows.list({ skip: 0, limit: 5, filter: { root: id } });
  t.is(items[0]?.parent?.label, 'below');
  await it.engine.control.cancel(id);
});

test('how long the tasks of a graph take is known after they ran, and a wait far beyond it is stuck: a case until it ends', async (t) => {
  const it = await open(t);
  const { id: nodeId } = await it.node();
  await it.engine.library.putGraph({
    friendlyName: 'Usual',
    injectableName: 'Graph.Test.Usual',
    tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification' }],
  });
  for (let run = 0; run < ENOUGH_RUNS; run += 1) {
    const { id } = await it.launch('Graph.Test.Usual', {}, nodeId);
    await it.engine.notifications.notify({}, nodeId);
    await it.finished(id);
  }
  const { id } = await it.launch('Graph.Test.Usual', {}, nodeId);
  const usual = async () => (await it.engine.diagnosis.whyWorkflow(id))?.waits[0]?.usualMs;
  await it.until(async () => (await usual())?.runs === ENOUGH_RUNS);
  const found = await usual();
  t.true((found?.p50 ?? 0) <= (found?.p90 ?? 0));
  t.true((found?.p90 ?? Number.NaN) < 60_000);
  await it.until(async () => (await it.engine.diagnosis.stuckWorkflows()).includes(id));
  t.is((await it.engine.diagnosis.summary()).workflows.stuck, 1);
  const { failures } = it.engine;
  const cases = async (filter = {}) =>
    (await failures.list({ skip: 0, limit: 5, filter: { stuck: true, ...filter } })).items;
  const [listed] = await cases();
  const shape = { graph: 'Graph.Test.Usual', task: 'wait', code: 'LONG_WAIT', count: 1, nodes: 1, sample: id };
  t.like(listed, { kind: 'stuck', ...shape, addressed: null });
  const stuckCase = listed?.id ?? '';
  await t.throwsAsync(failures.act(stuckCase, { command: 'retry' }), { code: 'CONFLICT' });
  t.like(await failures.act(stuckCase, { command: 'address', operator: 'op' }), { addressed: { by: 'op' } });
  t.deepEqual(await cases({ addressed: false }), []);
  t.is((await cases({ graphName: 'Graph.Test.Usual', errorCode: 'LONG_WAIT' })).length, 1);
  t.deepEqual(await cases({ graphName: 'Graph.Other' }), []);
  await it.engine.control.pause(id);
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.deepEqual(await it.engine.diagnosis.stuckWorkflows(), []);
  t.deepEqual(await cases(), []);
});

test('a quarantined workflow, one whose BMC has an open circuit, and an overdue one are stuck; a paused one is not', async (t) => {
  const it = await open(t);
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, (await it.node()).id);
  const row = await it.get(id);
  const due = Date.parse(row.dueAt ?? '');
  const none = new Map();
  t.falsy(stuckCause(row, none, Date.now()));
  t.falsy(stuckCause(row, none, due + 59_000));
  t.truthy(stuckCause(row, none, due + 61_000));
  t.truthy(stuckCause({ ...row, error: { name: 'E', code: 'QUARANTINED', message: 'm' } }, none, Date.now()));
  const tasks = row.tasks.map((entry) => ({ ...entry, waitingOn: 'bmc' as const }));
  t.truthy(stuckCause({ ...row, tasks }, none, Date.now()));
  t.like(stuckCause(row, none, Date.now(), { isBmcResting: true }), {
    label: 'wait-os-installed',
    code: 'OBM_CIRCUIT_OPEN',
  });
  const usual = new Map([['wait-os-installed', { p50: 1, p90: 1, runs: ENOUGH_RUNS }]]);
  t.truthy(stuckCause(row, usual, Date.now() + 10_000));
  const paused = row.tasks.map((entry) => ({ ...entry, waitingOn: 'paused' as const }));
  t.falsy(stuckCause({ ...row, tasks: paused }, usual, Date.now() + 10_000));
});

test('a timer is not stuck before it is due, however short other runs were; a minute after it is', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Sleeps',
    injectableName: 'Graph.Test.Sleeps',
    tasks: [{ label: 'sleep', taskName: 'Task.Sleep', optionOverrides: { duration: 36_000_000 } }],
  });
  const { id } = await it.launch('Graph.Test.Sleeps');
  await it.reached(id, 'sleep', 'waiting');
  const row = await it.get(id);
  const usual = new Map([['sleep', { p50: 790, p90: 790, runs: ENOUGH_RUNS }]]);
  const due = Date.parse(row.dueAt ?? '');
  t.true(due > Date.now() + 35_000_000);
  t.falsy(stuckCause(row, usual, due - 1_000));
  t.truthy(stuckCause(row, usual, due + 61_000));
});

test('a wait for an agent is stuck when none was seen for ten minutes, also without earlier runs', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Asks',
    injectableName: 'Graph.Test.Asks',
    tasks: [{ label: 'ask', taskName: 'Task.Linux.Commands', optionOverrides: { commands: ['true'] } }],
  });
  const { id: node } = await it.node();
  const { id } = await it.launch('Graph.Test.Asks', {}, node);
  await it.reached(id, 'ask', 'waiting');
  const row = await it.get(id);
  const began = Date.parse(row.tasks[0]?.waitingSince ?? '');
  const minutes = (count: number) => began + count * 60_000;
  t.falsy(stuckCause(row, new Map(), minutes(9)));
  t.truthy(stuckCause(row, new Map(), minutes(11)));
  t.truthy(stuckCause(row, new Map(), minutes(11), { seenAt: minutes(-1) }), 'not seen since the boot');
  t.falsy(stuckCause(row, new Map(), minutes(11), { seenAt: minutes(5) }), 'it was seen in the meantime');
  t.truthy(stuckCause(row, new Map(), minutes(16), { seenAt: minutes(5) }), 'it was seen, and then no more');
  const seen = (lastSeenAt: string | undefined, at: number) =>
    new Surveyor(
      {
        find: async () => [{ ...row, tasks: [{ ...row.tasks[0], waitingSince: new Date(at).toISOString() }] }],
      } as never,
      { usualTimes: async () => new Map() },
      {
        agent: async (asked) => (asked === node && lastSeenAt !== undefined ? { lastSeenAt } : undefined),
        restingBmcs: async () => async () => false,
      },
    ).survey();
  const long = Date.now() - 2 * AGENT_MS;
  t.like((await seen(undefined, long)).stuck, [{ id, cause: { code: 'AGENT_SILENT' } }]);
  t.deepEqual((await seen(new Date().toISOString(), long)).stuck, []);
  t.deepEqual((await seen(undefined, Date.now())).stuck, []);
  await it.engine.control.cancel(id);
});

test('an uploaded template that breaks an included installer is the cause that its wait names', async (t) => {
  const it = await open(t);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'noop-obm-service' });
  const { id } = await it.launch('Graph.InstallCentOS', { 'install-os': { ...usual, version: '9' } }, node);
  await it.reached(id, 'install-os', 'waiting');
  const file = { kind: 'template', name: 'centos-ks', scope: null } as const;
  const wait = async () => (await it.engine.diagnosis.whyNode(node)).waits[0];
  t.like(await wait(), { label: 'install-os', waitingOn: 'notification' });
  t.notRegex((await wait())?.detail ?? '', /in vain/);
  const upload = async (text: string) =>
    it.engine.files.put(
      file,
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
  await upload('lang en_US\nurl --url=<%=installScriptUri%>\n');
  const rejection = await t.throwsAsync(it.engine.files.template('centos-ks', node), { code: 'INVALID' });
  const detail = (await wait())?.detail ?? '';
  t.true(detail.includes(rejection?.message ?? '?'), detail);
  t.regex(
    detail,
    /template centos-ks at \S+ in vain \(centos-ks does not render: line 2: 'installScriptUri' is not defined/,
  );
  t.regex(
    detail,
    /takes the place of the included template.*DELETE \/templates\/library\/centos-ks.*; the node has to report/,
  );
  await upload('lang en_US\n');
  await it.engine.files.template('centos-ks', node);
  t.notRegex((await wait())?.detail ?? '', /in vain/);
  t.is(await it.engine.files.profile('none.ipxe', node), undefined);
  t.regex(
    (await wait())?.detail ?? '',
    /requested the profile none\.ipxe at \S+ in vain \(there is none of that name\)/,
  );
});
