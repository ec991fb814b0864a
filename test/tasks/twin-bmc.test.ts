/** The project's own drivers, tasks and graphs on the BMC of a twin's machine, of each model that ships. */
import { Readable } from 'node:stream';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { PowerState } from '../../engine/define/obm.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import type { ChassisSensor } from '../../engine/hardware/obm/redfish-sensors.ts';
import { addLogEntry } from '../../engine/hardware/twin/machine/bmc-log.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { openDriver } from '../support/bmcs/drivers.ts';
import { modelNames, type ServedTwin, startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { serveImages } from '../support/servers/source.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const OBM_SERVICE = 'redfish-obm-service';
const often = { lookEveryMs: 20 };

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 }, servicePublicIp: '127.0.0.1' });
  const image = Readable.from([Buffer.alloc(300_000, 'firmware')]);
  await t.context.it.engine.files.put({ kind: 'file', name: 'bmc-10.1.bin', scope: null }, image);
});
test.after.always((t) => t.context.it?.close());

interface Scene extends ServedTwin {
  node: string;
  run(graph: string, options?: object): Promise<WorkflowRow>;
}

async function scene(t: T, model: string): Promise<Scene> {
  const { it } = t.context;
  const twin = await startTwinBmc(t, { model });
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: OBM_SERVICE, config: twin.config });
  const run = async (graph: string, options: object = {}) =>
    it.finished((await it.launch(graph, options as Record<string, unknown>, node)).id);
  return { ...twin, node, run };
}

for (const model of modelNames) {
  test(`${model}: the driver switches power, sets the boot device and the light, and clears the log`, async (t) => {
    const { config, state, ledger, machine } = await startTwinBmc(t, { model });
    const driver = openDriver(OBM_SERVICE, config);
    const signal = AbortSignal.timeout(WAIT_MS);
    const commit = () => Promise.resolve();
    const until = async (wanted: PowerState) => {
      while ((await driver.state(signal)) !== wanted) await machine.around.time.after(500, signal);
    };
    t.is(await driver.state(signal), 'off');
    await driver.boot({ device: 'pxe' }, signal);
    t.like(state.bmc.override, { target: 'Pxe', enabled: 'Once' });
    await driver.boot({ device: 'disk', persistent: true, uefi: true }, signal);
    t.deepEqual(state.bmc.override, { target: 'Hdd', enabled: 'Continuous', mode: 'UEFI' });
    for (const [action, end] of [
      ['on', 'on'],
      ['reset', 'on'],
      ['soft', 'off'],
      ['on', 'on'],
      ['off', 'off'],
    ] as const) {
      await driver.power(action, signal, commit);
      await until(end);
    }
    const { user } = machine.facts.model.bmc;
    t.deepEqual(
      ledger,
      ['On', 'ForceRestart', 'GracefulShutdown', 'On', 'ForceOff'].map((type) => `power reset ${type}: done, ${user}`),
    );
    await driver.identify(true, signal);
    t.is(state.bmc.light, 'Blinking');
    await driver.identify(false, signal);
    t.is(state.bmc.light, 'Off');
    addLogEntry(state.bmc, { at: 0, severity: 'Warning', message: 'A fan is slow' });
    await driver.clearLog(signal, commit);
    t.deepEqual(state.bmc.log, []);
  });

  test(`${model}: pollers read its temperatures, fans and power`, async (t) => {
    const { it } = t.context;
    const { node } = await scene(t, model);
    for (const command of ['thermal', 'power'] as const) {
      const { id } = await it.engine.pollers.create({ type: 'redfish', node, config: { command }, pollInterval: 100 });
      await it.until(async () => ((await it.engine.pollers.data(id)) ?? []).length > 0);
      const [reading] = (await it.engine.pollers.data(id)) ?? [];
      const sensors = reading?.[command] as ChassisSensor[];
      t.is(reading?.node, node);
      t.true(
        sensors.every(({ name, health }) => name !== '' && health !== 'Critical'),
        JSON.stringify(sensors),
      );
      const units = new Set(sensors.filter((sensor) => sensor.reading !== null).map((sensor) => sensor.units));
      if (command === 'power') t.true(sensors.length > 0);
      else t.true(units.has('Cel') && units.size === 2, JSON.stringify(sensors));
      await it.engine.pollers.remove(id);
    }
  });

  test(`${model}: the graphs update firmware, by a URL and by a push`, async (t) => {
    const { run, state, ledger, machine } = await scene(t, model);
    const { user } = machine.facts.model.bmc;
    const { id = '' } = machine.facts.model.firmware.find(({ isUpdateable }) => isUpdateable) ?? {};
    const name = `${id}-9.8.7.bin`;
    const sent = { image: `${await serveImages(t, name)}/${name}`, targets: [id], version: '9.8.7' };
    const updated = await run('Graph.Firmware.Update', { update: { ...often, ...sent }, verify: often });
    t.is(updated.status, 'succeeded', JSON.stringify(updated.error));
    t.is(state.bmc.versions[id], '9.8.7');

    const pushed = { file: 'bmc-10.1.bin', targets: ['BMC'], version: '10.1' };
    const row = await run('Graph.Firmware.Update', { update: { ...often, ...pushed }, verify: often });
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    t.is(state.bmc.versions.BMC, '10.1');
    t.deepEqual(ledger, [
      `update ${id} from ${id}-9.8.7.bin: begun, ${user}`,
      `update ${id} from ${id}-9.8.7.bin: done, BMC`,
      `update BMC from bmc-10.1.bin: begun, ${user}`,
      'update BMC from bmc-10.1.bin: done, BMC',
    ]);
  });

  test(`${model}: the graphs update and set the BIOS, which takes both at a reset`, async (t) => {
    const { run, state, machine } = await scene(t, model);
    const files = await serveImages(t, 'bios-7.7.bin');
    const staged = { image: `${files}/bios-7.7.bin`, targets: ['BIOS'], version: '7.7', applyTime: 'OnReset' };
    const updated = await run('Graph.Firmware.Update', { update: { ...often, ...staged }, verify: often });
    t.is(updated.status, 'succeeded', JSON.stringify(updated.error));
    t.is(state.bmc.versions.BIOS, '7.7');

    const changed = machine.facts.model.bios.attributes.find(({ values = [] }) => values.length > 1);
    const other = changed?.values?.find((value) => value !== changed.value) ?? '';
    const attributes = { [changed?.name ?? '']: other };
    const row = await run('Graph.Bios.Configure', { configure: { attributes }, verify: often });
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    t.deepEqual(state.bmc.bios, attributes);
    const wrong = await run('Graph.Bios.Configure', { configure: { attributes: { [changed?.name ?? '']: 'none' } } });
    t.is(wrong.error?.code, 'BIOS_REJECTED');
  });

  test(`${model}: the graphs insert a medium, boot from it, and subscribe to alerts`, async (t) => {
    const { run, state } = await scene(t, model);
    const image = `${await serveImages(t, 'installer.iso')}/installer.iso`;
    const booted = await run('Graph.VirtualMedia.Boot', { insert: { image } });
    t.is(booted.status, 'succeeded', JSON.stringify(booted.error));
    t.deepEqual(state.bmc.media, { Cd: image });
    t.like(state.bmc.override, { target: 'Cd', enabled: 'Once' });
    t.is((await run('Graph.VirtualMedia.Eject')).status, 'succeeded');
    t.deepEqual(state.bmc.media, {});

    for (const _ of ['first', 'again']) {
      const subscribed = await run('Graph.Redfish.Alert.Subscribe');
      t.is(subscribed.status, 'succeeded', JSON.stringify(subscribed.error));
      t.is(state.bmc.subscriptions.length, 1);
    }
    t.like(state.bmc.subscriptions[0], {
      context: 'nodewright',
      eventTypes: ['ResourceAdded', 'StatusChange', 'Alert'],
    });
  });
}

test('the graph of Dell enables and filters the alerts of a Dell', async (t) => {
  const { run, state } = await scene(t, 'dell-r650');
  const row = await run('Graph.Dell.Configure.Redfish.Alerting');
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.is(state.bmc.vendor?.['IPMILan.1.AlertEnable'], 'Enabled');
  t.is(state.bmc.vendor?.['EventFilters.Storage.1/PDR_2_1#Alert#RedfishEventing'], 'Enabled');
  t.is(state.bmc.subscriptions.length, 1);
});

test('an update that fails on the BMC, and an image that is not there, fail the workflow', async (t) => {
  const { it } = t.context;
  const faults = { timed: [{ line: 1, kind: 'update fails', at: 0, target: 'r01s04' }], rated: [] } as const;
  const twin = await startTwinBmc(t, { model: 'open-d54q', faults });
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: OBM_SERVICE, config: twin.config });
  const files = await serveImages(t, 'bmc-9.1.bin');
  const ends = [
    ['bmc-9.1.bin', /Exception, Critical: Installation of image 'bmc-9\.1\.bin' to 'BMC' failed\./],
    [
      'none.bin',
      /Transfer of image 'none\.bin' to 'BMC' failed\. The resource at the URI '\S+\/none\.bin' was not found/,
    ],
  ] as const;
  for (const [name, message] of ends) {
    const update = { image: `${files}/${name}`, targets: ['BMC'], ...often };
    const row = await it.finished((await it.launch('Graph.Firmware.Update', { update }, node)).id);
    t.is(row.status, 'failed');
    t.is(row.error?.code, 'OBM_FAILED');
    t.regex(row.error?.message ?? '', message);
    t.is(twin.state.bmc.versions.BMC, '2.14.0');
  }
});
