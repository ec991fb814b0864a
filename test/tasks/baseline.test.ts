/** Graph.Baseline.Apply on the BMCs of twins: one restart for everything that waits for it, and nothing twice. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type RolloutBody, rolloutRequestOf } from '../../engine/api-port/rollouts.ts';
import { modelNames, startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { serveImages } from '../support/servers/source.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const often = { lookEveryMs: 20 };
const APPLY_BASELINE = 'Graph.Baseline.Apply';
const page = { skip: 0, limit: 10, filter: {} };

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.after.always((t) => t.context.it?.close());

/** A machine that is on, and a baseline from which everything of it differs. */
async function scene(t: T, model: string, it = t.context.it) {
  const twin = await startTwinBmc(t, { model });
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: twin.config });
  const { firmware: parts, bios } = twin.machine.facts.model;
  const part = parts.find(({ isUpdateable }) => isUpdateable)?.id ?? '';
  const changed = bios.attributes.find(({ values = [] }) => values.length > 1);
  const other = changed?.values?.find((value) => value !== changed.value) ?? '';
  const image = await serveImages(t, 'bios-7.7.bin', `${part}-9.8.7.bin`, 'bmc-10.1.bin');
  const applyTime = 'OnReset' as const;
  const goal = {
    firmware: [
      { component: 'BIOS', version: '7.7', image: `${image}/bios-7.7.bin`, applyTime },
      { component: part, version: '9.8.7', image: `${image}/${part}-9.8.7.bin`, applyTime },
      { component: 'BMC', version: '10.1', image: `${image}/bmc-10.1.bin` },
    ],
    bios: { [changed?.name ?? '']: other },
  };
  const run = async (compare: object) => {
    const options = { compare, update: often, verify: often, restart: { timeoutMs: 30_000 } };
    return it.finished((await it.launch(APPLY_BASELINE, options as Record<string, Record<string, unknown>>, node)).id);
  };
  return { ...twin, node, goal, part, run };
}

/** Without the ends of updates, which the BMC notes itself. */
const commandsIn = (ledger: readonly string[]) => ledger.filter((line) => !line.endsWith(', BMC'));
const resetsIn = (ledger: readonly string[]) => ledger.filter((line) => /^power reset .*On: done/.test(line)).length;

for (const model of modelNames) {
  test(`${model}: what differs is sent once, with one restart; a second launch sends nothing`, async (t) => {
    const { run, goal, part, state, ledger } = await scene(t, model);
    const row = await run(goal);
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    t.like(state.bmc.versions, { BIOS: '7.7', [part]: '9.8.7', BMC: '10.1' });
    t.deepEqual(state.bmc.bios, goal.bios);
    t.is(commandsIn(ledger).filter((line) => line.startsWith('update ')).length, 3, ledger.join(' | '));
    t.is(resetsIn(ledger), 1, ledger.join(' | '));
    const lines = commandsIn(ledger).length;
    const again = await run(goal);
    t.is(again.status, 'succeeded', JSON.stringify(again.error));
    t.deepEqual(again.output, { differences: [], restarted: false });
    t.is(commandsIn(ledger).length, lines, commandsIn(ledger).slice(lines).join(' | '));
  });
}

test('firmware that the BMC takes immediately needs no restart', async (t) => {
  const { run, goal, ledger } = await scene(t, 'dell-r650');
  const row = await run({ firmware: goal.firmware.slice(2) });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.is(resetsIn(ledger), 0);
});

test('what cannot be brought to the baseline is rejected before anything is sent', async (t) => {
  const { run, goal, ledger } = await scene(t, 'dell-r650');
  const [bios, , bmc] = goal.firmware;
  const { image: _, applyTime: __, ...bare } = bios as Required<(typeof goal.firmware)[0]>;
  const wrong: [object, string][] = [
    [{ firmware: [bmc, { component: 'none', version: '1', image: 'http://127.0.0.1/x' }] }, 'FIRMWARE_REJECTED'],
    [{ firmware: [bmc, bare] }, 'FIRMWARE_REJECTED'],
    [{ firmware: [bmc], bios: { NoSuchAttribute: 1 } }, 'BIOS_REJECTED'],
  ];
  for (const [compare, code] of wrong) t.is((await run(compare)).error?.code, code);
  t.deepEqual(ledger, []);
});

test('a baseline finds the nodes of its SKU that differ, makes their rollout, and finds them there afterwards', async (t) => {
  // Its discovery looks for other nodes with the address of the BMC.
  const it = await openEngine({ obm: { timeoutMs: 20_000 } });
  t.teardown(() => it.close());
  const { engine } = it;
  const { node, goal, run } = await scene(t, 'hpe-dl360-gen11', it);
  const rules = [{ path: 'redfish-system.Model' }, { path: 'hand.baselined', equals: true }];
  const { id: sku } = await engine.skus.create({ name: 'baselined', rules });
  const baseline = await engine.baselines.create({ name: 'b', sku, ...goal });
  await engine.catalogs.add(node, 'hand', { baselined: true });
  const discovery = await it.finished((await it.launch('Graph.Redfish.Discovery', {}, node)).id);
  t.is(discovery.status, 'succeeded', JSON.stringify(discovery.error));
  t.is((await engine.nodes.find(node))?.sku, sku);
  const driftIn = async () => (await engine.baselines.drift(baseline.id, page))?.items;
  t.like((await driftIn())?.[0], {
    node,
    state: 'differs',
    differences: { length: 4, 0: { name: 'BIOS', expected: '7.7' } },
  });
  const rollout = await engine.baselines.rollout(baseline.id, 'differs');
  t.like(rollout, { graph: APPLY_BASELINE, targets: { nodes: [node] } });
  const planned = await engine.rollouts.plan(rolloutRequestOf(rollout as RolloutBody, [node]));
  t.like(planned, { targets: { length: 1 }, rejections: [] });
  t.is((await run(goal)).status, 'succeeded');
  t.like((await driftIn())?.[0], { node, state: 'matches', differences: [] });
  await t.throwsAsync(engine.baselines.rollout(baseline.id, 'differs') as Promise<unknown>, { code: 'CONFLICT' });
  // A node that was never read is unknown, not fine.
  const { id: unread } = await it.node();
  await engine.catalogs.add(unread, 'hand', { baselined: true });
  await engine.catalogs.add(unread, 'redfish-system', { Model: 'x' });
  const unknown = await engine.baselines.drift(baseline.id, page, 'unknown');
  t.like(unknown, { total: 1, items: { length: 1, 0: { node: unread, differences: [], readAt: null } } });
});
