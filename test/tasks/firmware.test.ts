/** Firmware, BIOS and virtual media over Redfish, by a service that records what it does. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { Maintained } from '../support/bmcs/maintenance-service.ts';
import { type RedfishService, startRedfish } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const SERVICE = 'redfish-obm-service';
const IMAGE = 'http://10.1.1.1/bios.bin';
const CD = '/redfish/v1/Managers/1/VirtualMedia/Cd';
const often = { lookEveryMs: 10 };

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 4_000 } });
});
test.after.always((t) => t.context.it?.close());

interface Scene {
  bmc: RedfishService;
  own: Maintained;
  node: string;
  run(graph: string, options: object): Promise<WorkflowRow>;
}

async function machine(t: T): Promise<Scene> {
  const { it } = t.context;
  const own = new Maintained();
  const bmc = await startRedfish(t, own.options());
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: SERVICE, config: bmc.config });
  const run = async (graph: string, options: object) =>
    it.finished((await it.launch(graph, options as Record<string, unknown>, node)).id);
  return { bmc, own, node, run };
}

const update = ({ run }: Scene, options: object, verify: object = {}) =>
  run('Graph.Firmware.Update', {
    update: { ...often, ...options },
    verify: { ...often, ...verify },
    restart: { timeoutMs: 5_000 },
  });

/** @returns the output of a label */
const outputOf = ({ tasks }: WorkflowRow, label: string) => tasks.find((task) => task.label === label)?.output;

test('the BMC fetches the image, its task is followed, and the versions before and after are compared', async (t) => {
  const scene = await machine(t);
  const row = await update(scene, { image: IMAGE, targets: ['BIOS'], version: '2.0' });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(scene.own.done.all, [`update BIOS ${IMAGE}`]);
  const bios = '/redfish/v1/UpdateService/FirmwareInventory/BIOS';
  t.deepEqual(outputOf(row, 'update'), { sent: true, before: { [bios]: '1.0' }, task: 'completed' });
  t.deepEqual(outputOf(row, 'verify'), { before: { [bios]: '1.0' }, after: { [bios]: '2.0' }, changed: [bios] });
  t.deepEqual(scene.bmc.done.all, [], 'the machine is not switched');
});

test('targets that have the version are left alone', async (t) => {
  const scene = await machine(t);
  const row = await update(scene, { image: IMAGE, targets: ['BIOS'], version: '1.0' });
  t.is(row.status, 'succeeded');
  t.like(outputOf(row, 'update'), { sent: false });
  t.deepEqual(scene.own.done.all, []);
});

test('a stored file is pushed as it is, if its checksum is right; then the machine is restarted', async (t) => {
  const { engine } = t.context.it;
  const scene = await machine(t);
  scene.bmc.power = 'On';
  const bytes = 'firmware '.repeat(10_000);
  const { sha256 } = await engine.files.put(
    { kind: 'file', name: 'bmc.bin', scope: null },
    (async function* () {
      yield Buffer.from(bytes);
    })(),
  );
  const wrong = await update(scene, { file: 'bmc.bin', sha256: '0'.repeat(64) });
  t.is(wrong.error?.code, 'FIRMWARE_REJECTED');
  t.deepEqual(scene.own.done.all, []);
  const row = await update(scene, { file: 'bmc.bin', sha256, targets: ['BMC'], version: '2.0', applyTime: 'OnReset' });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(scene.own.done.all, ['update BMC bmc.bin']);
  t.true(scene.own.pushed === bytes);
  t.deepEqual(scene.bmc.done.all, ['reset ForceOff', 'reset On']);
});

test('an update that the BMC fails is reported with its message, and the node is released', async (t) => {
  const scene = await machine(t);
  scene.own.fails = true;
  const { error } = await update(scene, { image: IMAGE });
  t.is(error?.code, 'OBM_FAILED');
  t.regex(error?.message ?? '', /The image is damaged/);
  t.is(scene.own.done.all.length, 1, 'it is not sent again');
  const { status, error: held } = await scene.run('Graph.PowerOn.Node', {});
  t.is(status, 'succeeded', `no interlock is left: ${held?.message}`);
});

test('while firmware is being written, no graph switches the power', async (t) => {
  const { it } = t.context;
  const scene = await machine(t);
  scene.own.looks = 100_000;
  const { id } = await it.launch('Graph.Firmware.Update', { update: { ...often, image: IMAGE } }, scene.node);
  await scene.own.done.until(({ length }) => length === 1);
  await it.reached(id, 'update', 'running');
  await it.engine.control.cancel(id);
  await it.finished(id);
  const { error } = await scene.run('Graph.PowerOff.Node', {});
  t.is(error?.code, 'NODE_INTERLOCKED');
  t.regex(error?.message ?? '', /writing firmware/);
  t.deepEqual(scene.bmc.done.all, []);
});

test('a BMC that restarts at the end has forgotten its task; the versions show that it was done', async (t) => {
  const scene = await machine(t);
  scene.own.forgets = true;
  const row = await update(scene, { image: IMAGE, targets: ['BMC'], version: '2.0' });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.like(outputOf(row, 'update'), { sent: true, task: 'unknown' });
});

test('an update after which the version is another one fails, and says so', async (t) => {
  const scene = await machine(t);
  scene.own.image = '1.9';
  const { error } = await update(scene, { image: IMAGE, targets: ['BIOS'], version: '2.0' }, { waitMs: 50 });
  t.is(error?.code, 'FIRMWARE_UNCHANGED');
});

test('what cannot be updated is rejected before anything is sent', async (t) => {
  const scene = await machine(t);
  for (const options of [
    { image: IMAGE, targets: ['Toaster'] },
    { image: IMAGE, targets: ['Cable'] },
    { image: IMAGE, targets: ['/redfish/v1/Managers/1'] },
    { image: 'nfs://10.1.1.1/bios.bin' },
    { file: 'no-such-file' },
  ]) {
    const { error } = await update(scene, options);
    t.is(error?.code, 'FIRMWARE_REJECTED', JSON.stringify(options));
  }
  for (const options of [
    {},
    { image: IMAGE, file: 'x' },
    { image: IMAGE, version: '2' },
    { image: IMAGE, sha256: '0'.repeat(64) },
  ]) {
    await t.throwsAsync(() => update(scene, options), { code: 'INVALID_OPTIONS' } as object, JSON.stringify(options));
  }
  t.deepEqual(scene.own.done.all, []);
});

const configure = ({ run }: Scene, attributes: object) =>
  run('Graph.Bios.Configure', {
    configure: { attributes },
    verify: { ...often, waitMs: 2_000 },
    restart: { timeoutMs: 5_000 },
  });

test('only attributes with other values are sent; the machine is restarted, and they are verified', async (t) => {
  const scene = await machine(t);
  const { bmc, own } = scene;
  const running = configure(scene, { BootMode: 'Uefi', Cores: 8, Quiet: true });
  await t.context.it.until(() => bmc.done.all.includes('reset On'));
  own.restart();
  const row = await running;
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(own.done.all, ['bios BootMode']);
  t.deepEqual(outputOf(row, 'configure'), { changed: { BootMode: { from: 'Legacy', to: 'Uefi' } }, restart: true });
  t.is(own.attributes.BootMode, 'Uefi');
  const second = await configure(scene, { BootMode: 'Uefi', Cores: 8 });
  t.is(second.status, 'succeeded');
  t.deepEqual(bmc.done.all, ['reset ForceOff', 'reset On'], 'a second launch restarts nothing');
});

test('values that the BIOS does not take are rejected, all together, before anything is changed', async (t) => {
  const scene = await machine(t);
  const { error } = await configure(scene, { BootMode: 'Fast', Cores: 65, Serial: 'Y', Quiet: 'yes', Nothing: 1 });
  t.is(error?.code, 'BIOS_REJECTED');
  for (const name of ['BootMode', 'Cores', 'Serial', 'Quiet', 'Nothing'])
    t.regex(error?.message ?? '', new RegExp(name));
  t.deepEqual(scene.own.done.all, []);
});

test('a BIOS that does not take a value after the restart fails the workflow', async (t) => {
  const scene = await machine(t);
  const { error } = await configure(scene, { Cores: 4 });
  t.is(error?.code, 'BIOS_UNCHANGED');
});

test('the machine boots once from an image in a virtual drive, which can be ejected', async (t) => {
  const scene = await machine(t);
  const { bmc, own } = scene;
  own.media = 'http://10.1.1.1/old.iso';
  const image = 'http://10.1.1.1/installer.iso';
  const boot = () => scene.run('Graph.VirtualMedia.Boot', { insert: { image }, reboot: { timeoutMs: 5_000 } });
  const row = await boot();
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(own.done.all, ['eject', `insert ${image}`]);
  t.deepEqual(outputOf(row, 'insert'), { drive: CD, inserted: true });
  t.regex(bmc.done.all[0] ?? '', /"BootSourceOverrideTarget":"Cd","BootSourceOverrideEnabled":"Once"/);
  t.like(outputOf(await boot(), 'insert'), { inserted: false });
  t.is((await scene.run('Graph.VirtualMedia.Eject', {})).status, 'succeeded');
  t.is((await scene.run('Graph.VirtualMedia.Eject', {})).status, 'succeeded');
  t.deepEqual(own.done.all.slice(2), ['eject']);
});
