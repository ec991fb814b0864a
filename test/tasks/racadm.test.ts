/** `Task.Dell.Racadm` on the real engine: the stand-in of the tool changes the iDRAC of a twin. */
import { Readable } from 'node:stream';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { jobState, softwareList } from '../../engine/hardware/racadm/racadm-commands.ts';
import { racadmEnvironment } from '../support/bmcs/racadm.ts';
import { startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const toolPath = process.env.PATH;

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.after.always((t) => t.context.it?.close());
test.afterEach.always(() => {
  process.env.PATH = toolPath;
});

async function scene(t: ExecutionContext<{ it: TestEngine }>) {
  const { it } = t.context;
  process.env.PATH = racadmEnvironment(t).PATH;
  const twin = await startTwinBmc(t, { model: 'dell-r650' });
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: twin.config });
  const run = async (options: Record<string, unknown>) => {
    const name = `Graph.Test.Racadm.${options.action}`;
    await it.engine.library.putGraph({
      friendlyName: name,
      injectableName: name,
      tasks: [{ label: 'racadm', taskName: 'Task.Dell.Racadm', optionOverrides: options }],
    });
    const { id } = await it.launch(name, {}, node);
    return it.finished(id);
  };
  const catalog = (source: string) => it.engine.catalogs.latestOf(node, source);
  return { ...twin, run, catalog };
}

test.serial('a setting of the BIOS is changed by a job of the iDRAC, and the password is in no record', async (t) => {
  const { state, ledger, config, run } = await scene(t);
  const row = await run({ action: 'disableVTx' });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.is({ ...state.bmc.bios, ...state.bmc.pendingBios }.ProcVirtualization, 'Disabled');
  t.true(
    ledger.some((line) => line.startsWith('power reset ForceRestart')),
    ledger.join(),
  );
  t.false(JSON.stringify([row, t.context.it.events]).includes(String(config.password)));
});

test.serial('the inventory becomes a catalog under the names of RackHD', async (t) => {
  const { run, catalog } = await scene(t);
  t.is((await run({ action: 'getSoftwareList' })).status, 'succeeded');
  const data = (await catalog('racadm-firmware-list-catalog'))?.data as Record<string, unknown>;
  t.like(data, { BIOS: { FQDD: 'BIOS.Setup.1-1', currentVersion: '1.13.2' } });
  t.is((await run({ action: 'getConfigCatalog' })).status, 'succeeded');
  t.regex(JSON.stringify((await catalog('idrac-racadm-configure'))?.data), /ProcVirtualization/);
});

test.serial('settings are a file of the daemon; one that is not stored is rejected before the tool runs', async (t) => {
  const { it } = t.context;
  const { state, run } = await scene(t);
  const wanted = { action: 'setBiosConfig', serverFilePath: 'bios.xml', forceReboot: false };
  const missing = await run(wanted);
  t.like(missing.error, { code: 'INVALID_OPTIONS' });
  t.regex(missing.error?.message ?? '', /"bios.xml", expected \/\/server\/share\/file, or the name of a file/);
  const text = '<Attribute Name="LogicalProc">Disabled</Attribute>';
  await it.engine.files.put({ kind: 'file', name: 'bios.xml', scope: null }, Readable.from([Buffer.from(text)]));
  t.is((await run(wanted)).status, 'succeeded');
  t.is(state.bmc.pendingBios.LogicalProc, 'Disabled');
});

test.serial('a rejection of the iDRAC and a missing tool say what they are', async (t) => {
  const { run } = await scene(t);
  const rejected = await run({ action: 'resetComponents', components: ['vflash'] });
  t.like(rejected.error, { code: 'OBM_FAILED' });
  t.regex(rejected.error?.message ?? '', /racadm systemerase at 127\.[\d.:]+: RAC1143/);
  process.env.PATH = '/nowhere';
  const absent = await run({ action: 'enableAlert' });
  t.like(absent.error, { code: 'OBM_UNSUPPORTED' });
  t.regex(absent.error?.message ?? '', /racadm is not on the PATH of the daemon; install it/);
});

test('an action without its file is rejected at the launch', async (t) => {
  const { run } = await scene(t);
  await t.throwsAsync(run({ action: 'updateFirmware' }), { code: 'INVALID_OPTIONS', message: /serverFilePath/ });
});

test('the states of jobs, and components with several slots, are read as racadm prints them', (t) => {
  const job = (status: string) =>
    `[Job ID=JID_561235100730]\nJob Name=Export\nStatus=${status}\nMessage=[PR19: done.]\n`;
  t.deepEqual(jobState(job('Completed')), { state: 'completed', message: 'PR19: done.' });
  t.deepEqual(jobState(job('Completed with errors')), { state: 'failed', message: 'PR19: done.' });
  t.deepEqual(jobState(job('Running')), { state: 'running', message: 'PR19: done.' });
  t.is(jobState('ERROR: no such job'), undefined);
  const block = (fqdd: string, rest: string) => `ElementName = x\nFQDD = ${fqdd}\n${rest}\n--------------\n`;
  const text = [
    block('NIC.Embedded.1-1-1', 'InstallationDate = NA\nRollback Version = 1'),
    block('NIC.Embedded.1-1-1', 'InstallationDate = 2016-01-11\nCurrent Version = 2'),
    block('NIC.Slot.2-1-1', 'Current Version = 3'),
    block('Disk.Bay.0:Enclosure.Internal.0-0', 'Current Version = 4'),
  ].join('');
  const list = softwareList(text);
  t.deepEqual(Object.keys(list), ['NIC1', 'NIC2', 'Disk']);
  t.like(list.NIC1, { rollbackVersion: '1', currentVersion: '2', installationDate: '2016-01-11' });
  const spaces = ' '.repeat(500_000);
  t.deepEqual(softwareList(`a${spaces}a`), {});
  t.is(jobState(`${spaces}\nStatus =${spaces}\u2028${spaces}Completed`)?.state, 'running');
});
