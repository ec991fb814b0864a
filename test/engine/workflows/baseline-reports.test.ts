/** Nodes that differ from a baseline of their SKU are reported in their health, until they do not any more. */
import test from 'ava';
import { baselineReports } from '../../../engine/workflows/baselines/baseline-reports.ts';
import { openEngine } from '../../support/engine/engine.ts';

const firmwareOf = (version: string) => [{ Id: 'BMC', Version: version }] as never;
const goal = (version: string) => [{ component: 'BMC', version, file: 'bmc.bin' }];

test('a node that differs has a warning that names the difference, which follows the catalogs, the baseline and the SKU', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { baselines, catalogs, health, skus } = it.engine;
  const { id: sku } = await skus.create({ name: 'r650', rules: [{ path: 'redfish-firmware.0.Id' }] });
  const node = (await it.node()).id;
  await catalogs.add(node, 'redfish-firmware', firmwareOf('6.0'));
  const messages = async () => (await health.of(node))?.reports.map(({ source, message }) => `${source}: ${message}`);
  const becomes = (...expected: string[]) =>
    it.until(async () => JSON.stringify(await messages()) === JSON.stringify(expected));

  const { id } = await baselines.create({ name: 'autumn', sku, firmware: goal('7.10') });
  await becomes('baseline: it differs from the baseline autumn: BMC is 6.0, expected 7.10');
  t.is((await health.of(node))?.state, 'warning');
  await it.until(() => it.of(node, 'health.changed').length === 1);

  await catalogs.add(node, 'redfish-firmware', firmwareOf('7.10'));
  await becomes();
  await baselines.change(id, { firmware: goal('8.0'), bios: { BootMode: 'Uefi' } });
  // Until its BIOS is read, it is unknown whether it differs.
  await catalogs.add(node, 'redfish-bios', { Attributes: {} });
  const both = 'BMC is 7.10, expected 8.0; BootMode is missing, expected Uefi';
  await becomes(`baseline: it differs from the baseline autumn: ${both}`);
  const other = await baselines.create({ name: 'winter', sku, firmware: goal('9.0') });
  await it.until(async () => (await messages())?.length === 2);
  t.true(await baselines.remove(id));
  await becomes('baseline: it differs from the baseline winter: BMC is 7.10, expected 9.0');

  await t.throwsAsync(health.put(node, 'baseline', { state: 'ok' }), { code: 'CONFLICT' });
  await skus.update(sku, { rules: [{ path: 'none' }] });
  await it.until(async () => (await messages())?.every((message) => !message.startsWith('baseline')) === true);
  t.true(await baselines.remove(other.id));
});

test('of many differences a message names three', async (t) => {
  const reports: unknown[] = [];
  const names = ['A', 'B', 'C', 'D', 'E'];
  const node = { id: 'n', sku: 's', type: 'compute', createdAt: '' };
  const baseline = { id: 'b', name: 'autumn', sku: 's', bios: '{}' };
  const differences = names.map((name) => ({ kind: 'bios', name, expected: 1, found: null }));
  const compare = baselineReports({
    stored: { find: async () => [baseline] },
    nodes: { find: async () => [node] },
    drift: { of: async () => [{ node: 'n', state: 'differs', differences }] },
    health: { report: async (each: unknown) => reports.push(each) },
  } as never);
  await compare(['n']);
  const message =
    'it differs from the baseline autumn: A is missing, expected 1; B is missing, expected 1; C is missing, expected 1; 2 more';
  t.deepEqual(reports, [
    { node: 'n', changes: [{ source: 'baseline', key: 'b', report: { state: 'warning', message, until: null } }] },
  ]);
});
