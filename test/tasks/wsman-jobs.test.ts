/** RackHD's jobs over WS-Man that are done by Redfish, with the options of its tasks, on BMCs of twins. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { FaultPlan } from '../../engine/hardware/twin/faults/fault.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { modelNames, startTwinBmc, type TwinOptions } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { serveImages } from '../support/servers/source.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const service = 'redfish-obm-service';
const DELL = 'dell-r650';

test.beforeEach(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 }, servicePublicIp: '127.0.0.1' });
});
test.afterEach.always((t) => t.context.it?.close());

async function machine(t: T, options: TwinOptions) {
  const { it } = t.context;
  const twin = await startTwinBmc(t, options);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service, config: twin.config });
  return { ...twin, node };
}

/** Puts a graph of one of RackHD's tasks, with its options there. */
async function putGraph({ context: { it } }: T, base: string, options: object): Promise<string> {
  const name = `Graph.Test.${base}`;
  const own = { friendlyName: base, injectableName: `Task.Test.${base}`, implementsTask: `Task.Base.${base}` };
  await it.engine.library.putGraph({
    friendlyName: base,
    injectableName: name,
    options: { defaults: options },
    tasks: [{ label: 'job', taskDefinition: { ...own, optionsSchema: 'rackhd.json', options: {}, properties: {} } }],
  });
  return name;
}

async function run(t: T, graph: string, node: string, options: object = {}) {
  const { it } = t.context;
  const row = await it.finished((await it.launch(graph, { defaults: { ...options } }, node)).id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  return row.tasks[0]?.output as Record<string, unknown>;
}

const bios = {
  attributes: null,
  biosBootSequenceOrder: [''],
  hddSequenceOrder: [''],
  enableBootDevices: [''],
  disableBootDevices: [''],
  rebootJobType: 1,
};

test.serial('attributes of the BIOS are set with a restart, and what has no counterpart is rejected', async (t) => {
  const { node, state, ledger } = await machine(t, { model: DELL });
  state.power = { is: 'On' };
  const graph = await putGraph(t, 'Dell.Wsman.ConfigureBios', bios);
  const attributes = [{ name: 'ProcVirtualization', value: 'Disabled' }];
  const { it } = t.context;
  for (const [options, message] of [
    [{}, /attributes: is missing/],
    [
      { attributes, hddSequenceOrder: ['HardDisk.List.1-1'] },
      /hddSequenceOrder: found devices; no task here orders them/,
    ],
    [{ attributes: [...attributes, ...attributes] }, /attributes: found ProcVirtualization twice/],
    [{ attributes, rebootJobType: 3 }, /rebootJobType/],
  ] as const)
    await t.throwsAsync(it.launch(graph, { defaults: { ...options } }, node), { message });
  t.deepEqual(ledger, []);
  const { output } = await run(t, graph, node, { attributes });
  t.deepEqual(output, { changed: { ProcVirtualization: { from: 'Enabled', to: 'Disabled' } } });
  t.is(state.bmc.bios.ProcVirtualization, 'Disabled');
});

test.serial(
  'alerts of an iDRAC are published, except the information of audits, and nothing is subscribed',
  async (t) => {
    const { node, state } = await machine(t, { model: DELL });
    const graph = await putGraph(t, 'Dell.Wsman.Configure.Redfish.Alert', { shutdownType: 0, forceUpdate: true });
    const { changed } = await run(t, graph, node);
    t.true((changed as string[]).length > 0);
    t.deepEqual(await run(t, graph, node), { changed: [] });
    t.deepEqual(state.bmc.subscriptions, []);
    const enable = await putGraph(t, 'Redfish.Alert.Enable', {
      url: null,
      credential: { username: null, password: null },
      data: {},
    });
    t.like(await run(t, enable, node), { created: true });
    t.is(state.bmc.subscriptions.length, 1);
  },
);

const failing: FaultPlan = { timed: [], rated: [{ kind: 'update fails', share: 1, ms: DAY_MS, line: 1 }] };

for (const [faults, status, version] of [
  [undefined, 'succeeded', /^9\.9\.9$/],
  [failing, 'failed', /^(?!9\.9\.9)/],
] as const)
  test.serial(`an image must be given; its update ${status} with the task that the restart began`, async (t) => {
    const { it } = t.context;
    const { node, state, ledger } = await machine(t, { model: DELL, ...(faults && { faults }) });
    state.power = { is: 'On' };
    const graph = await putGraph(t, 'Dell.Wsman.Simple.Update.Firmware', { imageURI: null });
    await t.throwsAsync(it.launch(graph, {}, node), { message: /imageURI: is missing/ });
    await t.throwsAsync(it.launch(graph, { defaults: { imageURI: 'bios.exe' } }, node), { message: /imageURI/ });
    t.deepEqual(ledger, []);
    const imageURI = `${await serveImages(t, 'bios-9.9.9.exe')}/bios-9.9.9.exe`;
    const { id } = await it.launch(graph, { defaults: { imageURI } }, node);
    const row = await it.finished(id);
    t.is(row.status, status, JSON.stringify(row.error));
    t.true(ledger.includes('power reset On: done, root'), ledger.join('\n'));
    t.regex(state.bmc.versions.BIOS ?? '', version);
  });

for (const model of modelNames)
  test.serial(`${model}: the MACs of the machine become identifiers of its node`, async (t) => {
    const { it } = t.context;
    const { node, machine: twin } = await machine(t, { model });
    const graph = await putGraph(t, 'Wsman.Update.Lookups', {});
    const macs = [...twin.facts.macs].sort();
    t.deepEqual(await run(t, graph, node), { macs });
    t.deepEqual((await it.engine.nodes.find(node))?.identifiers, macs);
    t.deepEqual(await run(t, graph, node), { macs });
  });

test.serial('MACs of another node are an error, and change nothing', async (t) => {
  const { it } = t.context;
  const { node, machine: twin } = await machine(t, {});
  const [mac = ''] = twin.facts.macs;
  await it.engine.nodes.create({ type: 'compute', name: 'other', identifiers: [mac] });
  const row = await it.finished((await it.launch(await putGraph(t, 'Wsman.Update.Lookups', {}), {}, node)).id);
  t.is(row.error?.code, 'CONFLICT');
  t.deepEqual((await it.engine.nodes.find(node))?.identifiers, []);
});
