/** Restrictions of launches: the rules, and each start of a workflow on the real engine. */
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { LauncherRole } from '../../../../engine/api-port/workflows.ts';
import { checkConfiguredRoles } from '../../../../engine/assembly/configured-roles.ts';
import { type ConfigFile, readConfig } from '../../../../engine/platform/config/config.ts';
import { matchingRules } from '../../../../engine/workflows/approvals/launch-matching.ts';
import { LaunchRestrictions } from '../../../../engine/workflows/requests/launch-restrictions.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const ERASE = 'Graph.Test.Erase';
const LATE = 'Graph.Test.Late';
const WAITING = 'Graph.Test.Waits';
const options = { erase: { eraseSettings: [{ disks: [5] }] } };
const eraser: LauncherRole[] = [{ role: 'Administrator' }];
const operator: LauncherRole[] = [{ role: 'Operator' }];
const restricted = { code: 'LAUNCH_RESTRICTED' };
const rule = { destructive: true as const, roles: ['Administrator'] };
const drive = {
  devName: 'sdb',
  identifier: 5,
  serial: 'S1',
  esxiWwid: '',
  linuxWwid: '/dev/disk/by-id/b',
  scsiId: '0:0:1:0',
  virtualDisk: '',
};

/** @returns a gate over one node, which belongs to the team `storage`, and the number of plans that were made */
function gate(rules: NonNullable<ConfigFile['restrictions']>, isDestructive = true) {
  const asked = { plans: 0, owners: 0 };
  const restrictions = new LaunchRestrictions({
    rules: matchingRules('restrictions', rules),
    preparation: {
      async plannedWork({ node }) {
        asked.plans += 1;
        const definitions = [{ graph: ERASE, hash: 'h' }];
        return { node, definitions, isDestructive, drives: [], hasUnknownDrives: false };
      },
    },
    nodes: {
      list: async () => ({ items: [], total: 0 }),
      async ownerOf(id) {
        asked.owners += 1;
        return { id, owner: 'storage' };
      },
    },
  });
  const launch = (launcherRoles?: LauncherRole[], node: string | null = 'n1') =>
    restrictions.check({ id: 'w', name: ERASE, node, options: {}, ...(launcherRoles && { launcherRoles }) });
  return { restrictions, asked, launch };
}

test('each rule that fits has to be fulfilled, by a role on the whole site or for the team of the node', async (t) => {
  const { launch } = gate([
    { destructive: true, roles: ['Eraser', 'Administrator'] },
    { graphs: [ERASE], roles: ['Night', 'Administrator'] },
    { destructive: true, filter: { tags: 'production' }, roles: ['Boss'] },
  ]);
  await t.notThrowsAsync(launch([{ role: 'Administrator' }]));
  await t.notThrowsAsync(launch([{ role: 'Eraser', team: 'storage' }, { role: 'Night' }]));
  await t.throwsAsync(launch([{ role: 'Eraser' }]), { ...restricted, message: /expected one of Night, Administrator/ });
  await t.throwsAsync(launch([{ role: 'Administrator', team: 'other' }]), {
    ...restricted,
    message:
      /^Graph.Test.Erase is restricted on the node n1: found Administrator for the team other; expected one of Eraser, Administrator, .*; ask a user/,
  });
  await t.throwsAsync(launch(), { ...restricted, message: /found no role/ });
  await t.throwsAsync(launch([{ role: 'Administrator', team: 'storage' }], null), restricted, 'no node, no team');
});

test('where no launch is restricted, or the user may launch all on the whole site, nothing is read', async (t) => {
  const free = gate([]);
  await free.launch();
  await free.restrictions.checkMany({ id: 'w', name: ERASE, node: null, options: {} }, ['n1']);
  const fulfilled = gate([{ destructive: true, roles: ['Administrator'] }]);
  await fulfilled.launch(eraser);
  t.deepEqual([free.asked, fulfilled.asked], Array(2).fill({ plans: 0, owners: 0 }));
  const harmless = gate([{ destructive: true, roles: ['Administrator'] }], false);
  await harmless.launch(operator);
  t.deepEqual(harmless.asked, { plans: 1, owners: 0 });
});

test('a restriction without launches, or with a filter or a role that do not exist, is a wrong configuration', async (t) => {
  const wrong = (message: RegExp) => ({ code: 'CONFIG_INVALID', message }) as never;
  const read = (restrictions: NonNullable<ConfigFile['restrictions']>) => readConfig({}, '/', { restrictions });
  t.throws(() => read([{ roles: ['A'] }]), wrong(/restrictions\.0 has graphs and destructive, or neither/));
  t.throws(() => read([{ destructive: true, roles: [] }]), wrong(/restrictions\.0\.roles/));
  t.throws(() => gate([{ ...rule, filter: { colour: 'red' } }]), wrong(/restrictions\.0\.filter/));
  const config = read([{ destructive: true, roles: ['Administrator', 'Boss'] }]);
  const roles = checkConfiguredRoles({ config, store: new MemoryStore() }, pino({ level: 'silent' }));
  await t.throwsAsync(roles, wrong(/restrictions\.0\.roles has "Boss", which is no role/));
});

async function scene(t: ExecutionContext) {
  const it = await openEngine({ restrictions: [rule], env: { erasing: ERASE } });
  t.teardown(() => it.close());
  const put = (injectableName: string, ...tasks: object[]) =>
    it.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks });
  await put(ERASE, { label: 'erase', taskName: 'Task.Drive.SecureErase' });
  // The daemon knows the name of the graph only when the task runs.
  const late = { graphName: '{{ env.erasing }}', graphOptions: options };
  const runLate = { label: 'run', taskName: 'Task.Graph.Run', optionOverrides: late };
  await put(LATE, runLate);
  await put(
    WAITING,
    { label: 'wait', taskName: 'Task.Wait.Notification' },
    { ...runLate, waitOn: { wait: 'succeeded' } },
  );
  const { id: node } = await it.node();
  await it.engine.catalogs.add(node, 'driveId', [drive]);
  const run = (launcherRoles?: LauncherRole[], name = ERASE) => {
    const launch = { name, nodeId: node, options: name === ERASE ? options : {} };
    return it.engine.launches.launch({ ...launch, ...(launcherRoles && { launcherRoles }) });
  };
  const cancel = async (id: string) => {
    await it.engine.control.cancel(id);
    await it.finished(id);
  };
  return { it, node, run, cancel };
}

test('a launch, its plan and its retry need the role; the retry that of its own user', async (t) => {
  const { it, node, run, cancel } = await scene(t);
  const said = { ...restricted, message: /found Operator; expected one of Administrator/ };
  const { message = '' } = (await t.throwsAsync(run(operator), said)) ?? {};
  const planOf = (launcherRoles: LauncherRole[]) =>
    it.engine.plans.plan({ name: ERASE, options, nodeId: node, launcherRoles });
  t.deepEqual((await planOf(operator)).rejections, [{ path: '', code: 'LAUNCH_RESTRICTED', message }]);
  t.deepEqual((await planOf(eraser)).rejections, []);
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: {} })).total, 0);
  const { id } = await run(eraser);
  await cancel(id);
  const retry = (launcherRoles?: LauncherRole[]) =>
    it.engine.launches.retry(id, { from: 'start', acknowledge: ['erase'], ...(launcherRoles && { launcherRoles }) });
  await t.throwsAsync(retry(operator), { ...restricted, message });
  await t.throwsAsync(retry(), restricted, 'the roles of the original do not count');
  const retried = await retry(eraser);
  t.deepEqual((await it.get(retried?.id ?? '')).launcherRoles, eraser);
  await cancel(retried?.id ?? '');
});

test('a child inherits what its launcher may, also after a restart', async (t) => {
  const { it, node, run, cancel } = await scene(t);
  for (const roles of [operator, undefined])
    t.like((await it.finished((await run(roles, LATE)).id)).error, { code: 'LAUNCH_RESTRICTED' });
  const { id } = await run(eraser, WAITING);
  await it.reached(id, 'wait', 'waiting');
  await it.restart({});
  await it.engine.notifications.notify({}, node);
  const child = async () => (await it.engine.workflows.list({ skip: 0, limit: 1, filter: { root: id } })).items[0];
  await it.until(async () => (await child()) !== undefined);
  t.deepEqual((await child())?.launcherRoles, eraser);
  await cancel(id);
});

test('a record from a time without restrictions gives no right, and is as it was before', async (t) => {
  const { it, node, run } = await scene(t);
  await it.restart({ restrictions: [] });
  const { id } = await run(undefined, WAITING);
  t.false('launcherRoles' in (await it.get(id)));
  await it.reached(id, 'wait', 'waiting');
  await it.restart({ restrictions: [rule] });
  await it.engine.notifications.notify({}, node);
  t.like((await it.finished(id)).error, { code: 'LAUNCH_RESTRICTED' });
});

test('a user resumes only what this user may launch, with the children that run', async (t) => {
  const { it, run, cancel } = await scene(t);
  const { id } = await run(eraser, LATE);
  await it.reached(id, 'run', 'waiting');
  await it.until(async () => (await it.engine.workflows.list({ skip: 0, limit: 1, filter: { root: id } })).total === 1);
  await it.engine.control.pause(id, 'olga');
  await t.throwsAsync(it.engine.control.resume(id, 'olga', operator), restricted);
  t.truthy((await it.get(id)).paused);
  const many = { command: 'resume' as const, select: { ids: [id] }, launcherRoles: operator };
  const action = await it.engine.bulkActions.create(many);
  await it.until(async () => (await it.engine.bulkActions.get(action.id))?.status === 'finished');
  t.like((await it.engine.bulkActions.get(action.id))?.items[0], { status: 'rejected', code: 'LAUNCH_RESTRICTED' });
  t.truthy((await it.get(id)).paused);
  await it.engine.control.resume(id, 'anna', eraser);
  t.falsy((await it.get(id)).paused);
  await cancel(id);
});

test('a discovery and a rule have the roles of no user', async (t) => {
  const { it } = await scene(t);
  const rules = it.engine.rules.create({ name: 'r', on: { type: '^node$' }, launch: { name: ERASE, options } }, 'anna');
  await t.throwsAsync(rules, restricted);
  await it.restart({ discoveryGraph: ERASE });
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'new', autoDiscover: true });
  await it.engine.discovery.begin(id);
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: { node: id } })).total, 0);
});
