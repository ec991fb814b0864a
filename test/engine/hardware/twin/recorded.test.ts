/** Trees that are recorded of a BMC, and machines that are made of them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { modelSchema } from '../../../../engine/hardware/twin/machine/model.ts';
import { recordTree } from '../../../../engine/hardware/twin/machine/recorded-tree.ts';
import { readMockup, writeMockup } from '../../../../engine/hardware/twin/recorded/mockup-folder.ts';
import { recordBmc } from '../../../../engine/hardware/twin/recorded/record-bmc.ts';
import { modelOfTree } from '../../../../engine/hardware/twin/recorded/recorded-model.ts';
import { validator } from '../../../../engine/platform/validation/validator.ts';
import { folder } from '../../../support/ava/folder.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { modelNames, type ServedTwin, startTwinBmc, TWIN_PASSWORD } from '../../../support/bmcs/twin-bmc.ts';

const record = ({ url, config }: ServedTwin, missed: (path: string) => void = () => {}) =>
  recordBmc(
    { origin: url, user: config.username, password: TWIN_PASSWORD, verifySSL: false, ca: undefined },
    AbortSignal.timeout(WAIT_MS),
    missed,
  );

for (const name of modelNames) {
  test(`${name}: a machine of its recorded tree has the facts of the real one, and its own identity`, async (t) => {
    const real = await startTwinBmc(t, { model: name });
    const place = folder(t);
    const tree = await record(real, (path) => t.fail(path));
    t.is(await writeMockup(place, tree), tree.documents.size);
    t.deepEqual(real.ledger, []);
    const model = modelOfTree(readMockup(place), 'recorded');
    const { recorded: _, ...facts } = model;
    t.deepEqual(validator.violations(modelSchema, facts), []);
    const { manufacturer, product, ids, vendor, drives, nics, firmware, processor } = real.machine.facts.model;
    t.like(facts, { manufacturer, product, ids, vendor, processor });
    t.deepEqual(
      model.drives.map(({ kind, bytes, model: type }) => [kind, bytes, type]).sort(),
      drives.map(({ kind, bytes, model: type }) => [kind, bytes, type]).sort(),
    );
    t.deepEqual(
      model.nics.map((nic) => nic.name),
      nics.map((nic) => nic.name),
    );
    t.deepEqual(model.firmware, firmware);

    const twin = await startTwinBmc(t, { model: { ...model, recorded: readMockup(place) } });
    const driver = openDriver('redfish-obm-service', twin.config);
    const signal = AbortSignal.timeout(WAIT_MS);
    await driver.boot({ device: 'pxe' }, signal);
    await driver.power('on', signal, () => Promise.resolve());
    t.deepEqual(twin.ledger, ['power reset On: done, root']);
    await driver.identify(true, signal);
    await driver.clearLog(signal, () => Promise.resolve());
    const again = await record(twin);
    const system = again.documents.get(`/redfish/v1/Systems/${ids.system}`);
    t.like(system, { SerialNumber: twin.machine.facts.serial, UUID: twin.machine.facts.uuid });
    t.like(again.documents.get(`/redfish/v1/Systems/${ids.system}/EthernetInterfaces/${nics[0]?.name}`), {
      MACAddress: twin.machine.facts.macs[0],
    });
  });
}

test('resources that the twin does not simulate are shown as they were recorded', async (t) => {
  const tree = await recordTree(async (path) => documents[path]);
  const model = modelOfTree(tree, 'recorded');
  const { url, config, machine } = await startTwinBmc(t, { model });
  const authorization = `Basic ${Buffer.from(`${config.username}:${TWIN_PASSWORD}`).toString('base64')}`;
  const get = async (path: string) => (await fetch(url + path, { headers: { authorization } })).json();
  const device = await get('/redfish/v1/Chassis/c/PCIeDevices/gpu');
  t.like(device, { Name: 'A GPU', SerialNumber: machine.facts.serial });
  const system = await get('/redfish/v1/Systems/s');
  t.like(system, { PowerState: 'Off', Model: 'Server', Oem: { Acme: { Bay: 7, Token: null } } });
  t.is((await fetch(`${url}/redfish/v1/Chassis/c/PCIeDevices/gpu`)).status, 401);
  const changed = await fetch(`${url}/redfish/v1/Chassis/c/PCIeDevices/gpu`, {
    method: 'PATCH',
    headers: { authorization },
  });
  t.is(changed.status, 405);
});

const link = (path: string) => ({ '@odata.id': path });
const collection = (...members: string[]) => ({ Members: members.map(link), 'Members@odata.count': members.length });

/** A BMC with a secret in every place. */
const documents: Record<string, unknown> = {
  '/redfish/v1/': {
    Systems: link('/redfish/v1/Systems/'),
    AccountService: link('/redfish/v1/AccountService'),
    Evil: link('/redfish/v1/../../etc/passwd'),
    Other: link('/rest/v1/secrets'),
  },
  '/redfish/v1/Systems': collection('/redfish/v1/Systems/s'),
  '/redfish/v1/Systems/s': {
    '@odata.type': '#ComputerSystem.v1_0_0.ComputerSystem',
    SerialNumber: 'REAL-SERIAL',
    PowerState: 'On',
    Oem: { Acme: { Bay: 7, Token: 'hidden-1' } },
    Links: { Chassis: [link('/redfish/v1/Chassis/c')] },
  },
  '/redfish/v1/Chassis/c': { Devices: link('/redfish/v1/Chassis/c/PCIeDevices/gpu'), Password: 'hidden-2' },
  '/redfish/v1/Chassis/c/PCIeDevices/gpu': {
    Name: 'A GPU',
    SerialNumber: 'real-serial',
    Fans: [{ SNMPCommunity: 'hidden-3' }],
  },
  '/redfish/v1/AccountService': {
    Accounts: link('/redfish/v1/AccountService/Accounts'),
    LDAP: { BindPassword: 'hidden-4' },
  },
  '/redfish/v1/AccountService/Accounts': collection('/redfish/v1/AccountService/Accounts/1'),
  '/redfish/v1/AccountService/Accounts/1': { UserName: 'hidden-5' },
};

test('no secret, no account, and nothing outside of the tree is recorded', async (t) => {
  const read: string[] = [];
  const place = folder(t);
  const tree = await recordTree(async (path) => {
    read.push(path);
    return documents[path];
  });
  await writeMockup(place, tree);
  t.deepEqual(
    read.filter((path) => !path.startsWith('/redfish/v1')),
    [],
  );
  t.false(read.includes('/redfish/v1/AccountService/Accounts/1'));
  t.notRegex(JSON.stringify([...tree.documents]), /hidden/);
  t.like(tree.documents.get('/redfish/v1/AccountService/Accounts'), { Members: [], 'Members@odata.count': 0 });
  t.is(JSON.parse(readFileSync(join(place, 'redfish/v1/Systems/s/index.json'), 'utf8')).SerialNumber, 'REAL-SERIAL');
});

test('a BMC that names resources without an end, or ones that are no files, is recorded up to a limit', async (t) => {
  let reads = 0;
  const endless = (pad: string) => async (path: string) => {
    reads += 1;
    return { pad, next: [link(`${path}/a`), link(`/redfish/v1/${reads}`), link('/redfish/v1/index.json')] };
  };
  const place = folder(t);
  const tree = await recordTree(endless(''));
  t.is(await writeMockup(place, tree), 2_000);
  reads = 0;
  await t.throwsAsync(recordTree(endless('x'.repeat(4_000_000))), {
    code: 'OBM_FAILED',
    message: /more than 67108864/,
  });
  t.is(reads, 17);
});

test('a folder that is no mockup is named', (t) => {
  const place = folder(t);
  t.throws(() => readMockup(place), { message: new RegExp(`^${place} has no index.json`) });
  mkdirSync(join(place, 'Systems'));
  writeFileSync(join(place, 'index.json'), '{}');
  t.throws(() => modelOfTree(readMockup(place), 'a'), { message: /has no system/ });
  writeFileSync(join(place, 'Systems/index.json'), '[');
  t.throws(() => readMockup(place), { message: /Systems\/index\.json is no JSON object/ });
});
