/** The BMC of a twin's machine, request by request: what it refuses, and what it tells. */
import test from 'ava';
import { readBmcBody } from '../../../../engine/hardware/twin/bmc/read-body.ts';
import { alertBody, alertReceivers } from '../../../../engine/hardware/twin/bmc/subscriptions.ts';
import { applyAtReset, nextVersion, takeBootTarget } from '../../../../engine/hardware/twin/machine/bmc-firmware.ts';
import { addLogEntry } from '../../../../engine/hardware/twin/machine/bmc-log.ts';
import { factsOfMachine } from '../../../../engine/hardware/twin/machine/machine-facts.ts';
import { TWIN_PASSWORD, type TwinMachine, twinMachine } from '../../../support/bmcs/twin-bmc.ts';
import { ask, basic, messageOf, root } from '../../../support/bmcs/twin-requests.ts';
import { serveImages } from '../../../support/servers/source.ts';

const SYSTEM = '/redfish/v1/Systems/system';
const ACCOUNTS = '/redfish/v1/AccountService/Accounts';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const UPDATE = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
const MANAGER = '/redfish/v1/Managers/bmc';

test('only the service root, the versions, and the metadata are public', async (t) => {
  const twin = twinMachine();
  for (const path of ['/redfish', '/redfish/v1', '/redfish/v1/', '/redfish/v1/odata'])
    t.is((await ask(twin, 'GET', path, { headers: {} })).status, 200, path);
  const metadata = await twin.bmc.answer({
    method: 'GET',
    path: '/redfish/v1/$metadata',
    headers: {},
    body: Buffer.alloc(0),
  });
  t.regex(metadata === 'silent' ? '' : metadata.body, /ServiceRoot\.v1_\d+_\d+\.ServiceContainer/);
  for (const path of [SYSTEM, SESSIONS, '/redfish/v1/none']) {
    const { status, headers } = await ask(twin, 'GET', path, { headers: {} });
    t.is(status, 401);
    t.regex(headers['WWW-Authenticate'] ?? '', /^Basic/);
  }
});

test('requests that it cannot answer are refused as DSP0266 says', async (t) => {
  const twin = twinMachine();
  const { status, headers, text } = await ask(twin, 'HEAD', SYSTEM);
  t.deepEqual([status, text, headers.Allow], [200, '', 'GET, HEAD, PATCH']);
  const unknown = await ask(twin, 'GET', '/redfish/v1/Systems/other');
  t.is(unknown.status, 404);
  t.regex(messageOf(unknown)?.MessageId ?? '', /^Base\.[\d.]+\.ResourceMissingAtURI$/);
  const method = await ask(twin, 'DELETE', SYSTEM);
  t.deepEqual([method.status, method.headers.Allow], [405, 'GET, HEAD, PATCH']);
  t.is((await ask(twin, 'GET', SYSTEM, { headers: { ...root, 'odata-version': '3.0' } })).status, 412);
  t.is((await ask(twin, 'GET', `${SYSTEM}?$select=Id`)).status, 501);
  t.is((await ask(twin, 'GET', `${SYSTEM}?pretty=1`)).status, 200);
  t.is((await ask(twin, 'PATCH', SYSTEM, { body: Buffer.from('{') })).status, 400);
  t.is(
    (await ask(twin, 'PATCH', SYSTEM, { body: {}, headers: { ...root, 'content-type': 'text/plain' } })).status,
    415,
  );
  const property = await ask(twin, 'PATCH', SYSTEM, { body: { Boot: { BootSourceOverrideTarget: 'Moon' } } });
  t.is(property.status, 400);
  t.regex(messageOf(property)?.Message ?? '', /"Moon".*BootSourceOverrideTarget/);
  t.is((await ask(twin, 'POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, { body: {} })).status, 400);
  t.deepEqual(twin.ledger, ['power POST ComputerSystem.Reset: refused, root']);
});

test('collections are read in parts', async (t) => {
  const twin = twinMachine();
  const { body } = await ask(twin, 'GET', `${SYSTEM}/Memory?$skip=14&$top=1`);
  t.deepEqual(body.Members, [{ '@odata.id': `${SYSTEM}/Memory/DIMM15` }]);
  t.is(body['Members@odata.nextLink'], `${SYSTEM}/Memory?$skip=15`);
  t.is(body['Members@odata.count'], 16);
  t.is((await ask(twin, 'GET', `${SYSTEM}/Memory?$top=-1`)).status, 400);
});

test('a change that names another ETag is refused, and a change gives a new one', async (t) => {
  const twin = twinMachine();
  const { headers, body } = await ask(twin, 'GET', SYSTEM);
  t.is<unknown, unknown>(headers.ETag, body['@odata.etag']);
  const change = (tag = '') =>
    ask(twin, 'PATCH', SYSTEM, { body: { LocationIndicatorActive: true }, headers: { ...root, 'if-match': tag } });
  t.is((await change('W/"other"')).status, 412);
  t.is(twin.state.bmc.light, 'Off');
  const changed = await change(headers.ETag);
  t.is(changed.status, 200);
  t.not(changed.headers.ETag, headers.ETag);
  t.is((await ask(twin, 'GET', SYSTEM)).headers.ETag, changed.headers.ETag);
  t.is((await ask(twin, 'GET', SYSTEM, { headers: { ...root, 'if-none-match': changed.headers.ETag } })).status, 304);
});

test('sessions are opened up to the limit of the model, end by DELETE, and time out', async (t) => {
  const twin = twinMachine({ speed: 1 });
  const open = () => ask(twin, 'POST', SESSIONS, { headers: {}, body: { UserName: 'root', Password: TWIN_PASSWORD } });
  const { status, headers } = await open();
  t.is(status, 201);
  const token = { 'x-auth-token': headers['X-Auth-Token'] };
  t.is((await ask(twin, 'GET', SYSTEM, { headers: token })).status, 200);
  for (let opened = 1; opened < 64; opened += 1) t.is((await open()).status, 201);
  t.is((await open()).status, 503);
  t.is((await ask(twin, 'DELETE', headers.Location ?? '', { headers: token })).status, 204);
  t.is((await ask(twin, 'GET', SYSTEM, { headers: token })).status, 401);
  t.is((await open()).status, 201);
  t.is((await ask(twin, 'GET', SESSIONS)).body['Members@odata.count'], 64);
  Object.assign(twin.machine.around.time.basis, { field: twin.machine.around.time.basis.field + 1_801_000 });
  t.is((await ask(twin, 'GET', SESSIONS)).body['Members@odata.count'], 0);
});

test('accounts are created, changed and deleted, and the ledger has each of it without its password', async (t) => {
  const twin = twinMachine();
  const made = { UserName: 'reader', Password: 'read-only-1', RoleId: 'ReadOnly' };
  const { status, headers } = await ask(twin, 'POST', ACCOUNTS, { body: made });
  t.is(status, 201);
  const reader = basic('reader', 'read-only-1');
  const reset = { body: { ResetType: 'On' }, headers: reader };
  t.is((await ask(twin, 'POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, reset)).status, 403);
  t.is((await ask(twin, 'POST', ACCOUNTS, { body: made, headers: reader })).status, 403);
  t.is((await ask(twin, 'DELETE', `${ACCOUNTS}/1`, { headers: reader })).status, 403);
  t.is(
    (await ask(twin, 'PATCH', `${ACCOUNTS}/1`, { body: { Password: 'stolen-from-1' }, headers: reader })).status,
    403,
  );
  const own = headers.Location ?? '';
  t.is((await ask(twin, 'PATCH', own, { body: { RoleId: 'Administrator' }, headers: reader })).status, 403);
  t.is((await ask(twin, 'PATCH', own, { body: { Password: 'read-only-2' }, headers: reader })).status, 200);
  t.is((await ask(twin, 'GET', SYSTEM, { headers: reader })).status, 401);
  const short = await ask(twin, 'PATCH', own, { body: { Password: 'short' } });
  t.is(short.status, 400);
  t.notRegex(short.text, /short'/);
  t.is((await ask(twin, 'POST', `${ACCOUNTS}/Members`, { body: made })).status, 400);
  t.is((await ask(twin, 'DELETE', `${ACCOUNTS}/1`)).status, 400, 'the last administrator stays');
  t.is((await ask(twin, 'DELETE', own)).status, 204);
  t.deepEqual(twin.ledger, [
    'account create reader: done, root',
    'power POST ComputerSystem.Reset: refused, reader',
    'account POST Accounts: refused, reader',
    'account DELETE 1: refused, reader',
    'account PATCH 1: refused, reader',
    'account PATCH 2: refused, reader',
    'account change reader: Password: done, reader',
    'account PATCH 2: refused, root',
    'account POST Accounts: refused, root',
    'account DELETE 1: refused, root',
    'account delete reader: done, root',
  ]);
});

test('the password of the only account is changed, and the old one is refused', async (t) => {
  const twin = twinMachine();
  t.is((await ask(twin, 'PATCH', `${ACCOUNTS}/1`, { body: { Password: 'rotated-once' } })).status, 200);
  t.is((await ask(twin, 'GET', SYSTEM)).status, 401);
  t.is((await ask(twin, 'GET', SYSTEM, { headers: basic('root', 'rotated-once') })).status, 200);
});

test('five wrong passwords lock an account for a minute', async (t) => {
  const twin = twinMachine({ speed: 1 });
  for (let tried = 0; tried < 5; tried += 1)
    t.is((await ask(twin, 'GET', SYSTEM, { headers: basic('root', 'wrong') })).status, 401);
  t.is((await ask(twin, 'GET', SYSTEM)).status, 401);
  Object.assign(twin.machine.around.time.basis, { field: twin.machine.around.time.basis.field + 61_000 });
  t.is((await ask(twin, 'GET', SYSTEM)).status, 200);
});

test('a URL that leads out of the machine is refused, unless the twin has a network of its own', async (t) => {
  const out = [
    'http://10.1.1.1/bios-2.0.bin',
    'http://localhost/a',
    'http://127.0.0.1.example/a',
    'http://[::2]/a',
    'file:///etc',
  ];
  const [closed, open] = [twinMachine(), twinMachine({ anyAddress: true })];
  const media = `${MANAGER}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia`;
  const tries = (url: string): [string, object][] => [
    [UPDATE, { ImageURI: url }],
    [media, { Image: url }],
    ['/redfish/v1/EventService/Subscriptions', { Destination: url, Protocol: 'Redfish' }],
  ];
  const isWalled = async (twin: TwinMachine, path: string, body: object) => {
    const answer = await ask(twin, 'POST', path, { body });
    return answer.status === 400 && messageOf(answer)?.MessageId === 'Base.1.19.PropertyValueOutOfRange';
  };
  for (const url of out)
    for (const [path, body] of tries(url)) t.true(await isWalled(closed, path, body), `${path} ${url}`);
  t.like(closed.state.bmc, { tasks: [], media: {}, subscriptions: [] });
  for (const url of ['http://127.9.8.7/a', 'http://[::1]:80/a']) {
    const twin = twinMachine();
    for (const [path, body] of tries(url)) t.false(await isWalled(twin, path, body), `${path} ${url}`);
    await twin.machine.downloadsEnded();
  }
  for (const [path, body] of tries('http://10.1.1.1/a')) t.false(await isWalled(open, path, body));
  await open.machine.downloadsEnded();
});

test('an update is a task; the BIOS has its version at the next reset, the BMC restarts itself', async (t) => {
  const twin = twinMachine({ speed: 0.01 });
  const { basis } = twin.machine.around.time;
  const later = (seconds: number) => Object.assign(basis, { field: basis.field + seconds * 1_000 });
  const files = await serveImages(t, 'x/bios_v4.5.6.bin', 'b.bin');
  const begun = await ask(twin, 'POST', UPDATE, { body: { ImageURI: `${files}/x/bios_v4.5.6.bin` } });
  t.is(begun.status, 202);
  t.is(begun.body.TaskState, 'Running');
  const monitor = begun.headers.Location ?? '';
  t.is((await ask(twin, 'POST', UPDATE, { body: { ImageURI: `${files}/b.bin` } })).status, 503);
  await twin.machine.downloadsEnded();
  later(60);
  const running = await ask(twin, 'GET', monitor);
  t.deepEqual([running.status, running.body.PercentComplete], [202, 50]);
  t.is((await ask(twin, 'POST', UPDATE, { body: { ImageURI: `${files}/b.bin` } })).status, 503);
  later(61);
  t.deepEqual(
    [(await ask(twin, 'GET', monitor)).status, (await ask(twin, 'GET', monitor)).body.TaskState],
    [200, 'Completed'],
  );
  t.is((await ask(twin, 'GET', SYSTEM)).body.BiosVersion, '3A16.1');
  applyAtReset(twin.state, 0);
  t.is((await ask(twin, 'GET', SYSTEM)).body.BiosVersion, '4.5.6');

  t.is((await ask(twin, 'POST', UPDATE, { body: { ImageURI: `${files}/b.bin`, Targets: [MANAGER] } })).status, 202);
  await twin.machine.downloadsEnded();
  later(121);
  t.is((await ask(twin, 'GET', MANAGER)).text, 'silent');
  later(60);
  t.is((await ask(twin, 'GET', MANAGER)).body.FirmwareVersion, '2.14.1');
  t.deepEqual(twin.ledger, [
    'update BIOS from bios_v4.5.6.bin: begun, root',
    'update BIOS from b.bin: refused, root',
    'update BIOS from b.bin: refused, root',
    'update BIOS from bios_v4.5.6.bin: done, BMC',
    'update BMC from b.bin: begun, root',
    'update BMC from b.bin: done, BMC',
  ]);
});

test('a version is the first one in the name of the image, else one more than before', (t) => {
  t.is(nextVersion('BIOS_C4V1F_LN64_1.13.2.bin', '1.12.1'), '1.13.2');
  t.is(nextVersion('bmc.bin', '7.00.00.171'), '7.00.00.172');
  t.is(nextVersion('bmc2.bin', '3A16.1'), '3A16.2');
  t.is(nextVersion('pld.bin', '0x1E'), '0x1F');
  t.is(nextVersion('bmc.bin', 'F2.4B.09x'), 'F2.4B.10x');
  t.is(nextVersion('bmc.bin', ''), '1.0');
});

test('BIOS attributes are checked by the registry, and taken at the next reset', async (t) => {
  const twin = twinMachine();
  const set = (Attributes: object) => ask(twin, 'PATCH', `${SYSTEM}/Bios/Settings`, { body: { Attributes } });
  const wrong = [
    { Nothing: 1 },
    { BootMode: 'CSM' },
    { BootMode: 1 },
    { PostWatchdogMinutes: 61 },
    { SriovSupport: 'yes' },
  ];
  for (const attributes of wrong) t.is((await set({ HyperThreading: 'Disabled', ...attributes })).status, 400);
  t.deepEqual(twin.state.bmc.pendingBios, {});
  t.is((await set({ BootMode: 'Legacy', PostWatchdogMinutes: 0 })).status, 200);
  t.is((await set({ SriovSupport: false })).status, 200);
  const shown = async () => (await ask(twin, 'GET', `${SYSTEM}/Bios`)).body.Attributes as object;
  t.like(await shown(), { BootMode: 'UEFI', SriovSupport: true });
  applyAtReset(twin.state, 0);
  t.like(await shown(), { BootMode: 'Legacy', PostWatchdogMinutes: 0, SriovSupport: false, HyperThreading: 'Enabled' });
  t.is((await ask(twin, 'POST', `${SYSTEM}/Bios/Actions/Bios.ResetBios`)).status, 204);
  applyAtReset(twin.state, 0);
  t.like(await shown(), { BootMode: 'UEFI', PostWatchdogMinutes: 10, SriovSupport: true });
});

test('a boot takes its override, once or always', (t) => {
  const { state } = twinMachine();
  t.is(takeBootTarget(state.bmc), 'None');
  state.bmc.override = { target: 'Pxe', enabled: 'Once', mode: 'UEFI' };
  t.deepEqual([takeBootTarget(state.bmc), takeBootTarget(state.bmc)], ['Pxe', 'None']);
  state.bmc.override = { target: 'Hdd', enabled: 'Continuous', mode: 'UEFI' };
  t.deepEqual([takeBootTarget(state.bmc), takeBootTarget(state.bmc)], ['Hdd', 'Hdd']);
});

test('its log keeps the newest entries, and its ids after a clear', async (t) => {
  const twin = twinMachine();
  for (let at = 0; at < 250; at += 1) addLogEntry(twin.state.bmc, { at, severity: 'OK', message: `entry ${at}` });
  const log = `${SYSTEM}/LogServices/SEL`;
  const { body } = await ask(twin, 'GET', `${log}/Entries`);
  t.is(body['Members@odata.count'], 200);
  t.like((body.Members as object[])[0], { Id: '51', Message: 'entry 50', EntryType: 'SEL' });
  t.is((await ask(twin, 'POST', `${log}/Actions/LogService.ClearLog`, { body: {} })).status, 204);
  addLogEntry(twin.state.bmc, { at: 0, severity: 'OK', message: 'one more' });
  t.is((await ask(twin, 'GET', `${log}/Entries/251`)).body.Message, 'one more');
});

test('its clock may be wrong, and is set', async (t) => {
  const twin = twinMachine();
  twin.state.bmc.clockMs = -3_600_000;
  const shown = async () => Date.parse(String((await ask(twin, 'GET', MANAGER)).body.DateTime));
  // Read first: the time of the machine passes quickly.
  const behind = await shown();
  t.true(twin.machine.around.time.now() - behind >= 3_600_000);
  t.is((await ask(twin, 'PATCH', MANAGER, { body: { DateTime: '2030-01-02T03:04:05Z' } })).status, 200);
  t.is(new Date(await shown()).toISOString().slice(0, 13), '2030-01-02T03');
  t.is((await ask(twin, 'PATCH', MANAGER, { body: { DateTime: 'noon' } })).status, 400);
});

test('a reset of the manager ends its sessions, and it is away for a minute', async (t) => {
  const twin = twinMachine({ speed: 1 });
  const login = { headers: {}, body: { UserName: 'root', Password: TWIN_PASSWORD } };
  const { headers } = await ask(twin, 'POST', SESSIONS, login);
  const reset = { body: { ResetType: 'ForceRestart' } };
  t.is((await ask(twin, 'POST', `${MANAGER}/Actions/Manager.Reset`, reset)).status, 204);
  t.is((await ask(twin, 'GET', SYSTEM)).text, 'silent');
  const { basis } = twin.machine.around.time;
  Object.assign(basis, { field: basis.field + 61_000 });
  t.is((await ask(twin, 'GET', SYSTEM, { headers: { 'x-auth-token': headers['X-Auth-Token'] } })).status, 401);
  t.is((await ask(twin, 'GET', SYSTEM)).status, 200);
});

test('an alert is for the subscriptions that want alerts, while the service is enabled', async (t) => {
  const twin = twinMachine();
  const subscribe = (EventTypes: string[]) =>
    ask(twin, 'POST', '/redfish/v1/EventService/Subscriptions', {
      body: { Destination: 'http://127.0.0.1/alerts', Protocol: 'Redfish', Context: 'mine', EventTypes },
    });
  await subscribe(['ResourceAdded']);
  await subscribe(['Alert']);
  const [receiver, ...others] = alertReceivers(twin.state.bmc);
  t.deepEqual(others, []);
  const alert = {
    severity: 'Critical',
    message: 'A fan failed',
    messageId: 'Platform.1.0.FanFailed',
    sensor: 'Fan1',
  } as const;
  const body = alertBody(twin.machine, receiver!, alert, '7', 0);
  t.like(body, { Context: 'mine', Id: '7' });
  t.like(body.Events[0], { Severity: 'Critical', Message: 'A fan failed', MessageArgs: ['Fan1'] });
  const test = '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent';
  t.is((await ask(twin, 'POST', test, { body: { Message: 'hello' } })).status, 204);
  t.like(twin.alerts[0], { message: 'hello' });
  t.is((await ask(twin, 'PATCH', '/redfish/v1/EventService', { body: { ServiceEnabled: false } })).status, 200);
  t.deepEqual(alertReceivers(twin.state.bmc), []);
});

const push = (parameters: string, name = 'bmc-5.5.bin', size = 10) =>
  Buffer.from(
    `--b1\r\nContent-Disposition: form-data; name="UpdateParameters"\r\nContent-Type: application/json\r\n\r\n${parameters}\r\n` +
      `--b1\r\nContent-Disposition: form-data; name="UpdateFile"; filename="${name}"\r\n\r\n${'x'.repeat(size)}\r\n--b1--\r\n`,
  );

test('of a pushed image only the beginning is kept, and of JSON no more than its limit', async (t) => {
  const { model } = factsOfMachine(1, 1, twinMachine().machine.facts.model);
  const PUSH = '/redfish/v1/UpdateService/update-multipart';
  const chunks = async function* (data: Buffer) {
    for (let at = 0; at < data.length; at += 50_000) yield data.subarray(at, at + 50_000);
  };
  const image = push('{"Targets":["/redfish/v1/Managers/bmc"]}', 'bmc-5.5.bin', 3_000_000);
  const { body, size } = await readBmcBody(chunks(image), 'POST', PUSH, model);
  t.is(size, image.length);
  t.true(body.length <= 65_536);
  await t.throwsAsync(readBmcBody(chunks(image), 'POST', SYSTEM, model), { message: /exceeds the maximum size/ });

  const twin = twinMachine();
  const headers = { ...root, 'content-type': 'multipart/form-data; boundary=b1' };
  t.is((await ask(twin, 'POST', PUSH, { body, headers })).status, 202);
  t.deepEqual(twin.ledger, ['update BMC from bmc-5.5.bin: begun, root']);
  const other = twinMachine();
  t.is((await ask(other, 'POST', PUSH, { body: push('{'), headers })).status, 400);
  t.is((await ask(other, 'POST', PUSH, { body: push('{}'), headers: root })).status, 400);
  t.is((await ask(other, 'POST', PUSH, { body: push('{"Targets":["/redfish/v1/none"]}'), headers })).status, 400);
  t.deepEqual(other.ledger, Array(3).fill('update POST update-multipart: refused, root'));
});

test('a drive that is missing is in no document', async (t) => {
  const twin = twinMachine();
  const drives = async () => (await ask(twin, 'GET', `${SYSTEM}/Storage/NVMe`)).body['Drives@odata.count'];
  t.is(await drives(), 2);
  Object.assign(twin.state.drives[0]!, { isMissing: true });
  t.is(await drives(), 1);
  t.is((await ask(twin, 'GET', `${SYSTEM}/Storage/NVMe/Drives/Bay.0`)).status, 404);
});

test('the state of a BMC is small', (t) => {
  t.true(JSON.stringify(twinMachine().state.bmc).length < 1_000);
});
