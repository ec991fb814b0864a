/** The outlets of PDUs by Redfish, beyond the rules of all drivers (`drivers.test.ts`). */
import test from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import { switchPower } from '../../../../engine/define/power.ts';
import { configViolations } from '../../../../engine/hardware/obm/obm-settings.ts';
import { darkMs } from '../../../../engine/hardware/obm/outlet-driver.ts';
import { configSecrets, shownConfig } from '../../../../engine/hardware/obm/shown-config.ts';
import { REDACTED } from '../../../../engine/vocabulary/encrypted-values.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { startRedfishPdu } from '../../../support/bmcs/redfish-pdu.ts';

const service = 'redfish-pdu-obm-service';
const free = async () => {};

test('of two feeds only the outlets that differ are switched, each once', async (t) => {
  const pdu = await startRedfishPdu(t);
  const [first] = pdu.config.outlets;
  const driver = openDriver(service, { ...pdu.config, outlets: [first, { ...first, outlet: '3', pdu: '1' }] });
  t.is(await driver.state(NEVER), 'changing');
  await driver.power('on', NEVER, free);
  t.is(await driver.state(NEVER), 'on');
  let commits = 0;
  const count = async () => {
    commits += 1;
  };
  await driver.power('on', NEVER, count);
  t.deepEqual([pdu.ledger, commits], [['On 1'], 1]);
  await driver.power('off', NEVER, free);
  t.deepEqual(pdu.ledger, ['On 1', 'Off 1', 'Off 3']);
  t.is(await driver.state(NEVER), 'off');
  await t.throwsAsync(driver.power('reset', NEVER, free), { code: 'OBM_UNSUPPORTED', message: /Graph.Reboot.Node/ });
});

test('a wrong password, PDU or outlet fails before a command is sent, and says what there is', async (t) => {
  const pdu = await startRedfishPdu(t);
  const [first] = pdu.config.outlets;
  const commit = async () => t.fail('it was committed');
  const failing = (config: object, code: string, message: RegExp) =>
    t.throwsAsync(openDriver(service, { ...pdu.config, ...config }).power('on', NEVER, commit), { code, message });
  await failing(
    { password: 'wrong' },
    'OBM_REJECTED',
    /rejected the user name or the password; correct the obm's config/,
  );
  await failing({ outlets: [{ ...first, outlet: 9 }] }, 'OBM_INVALID', /the outlets 1, 2, 3, expected outlet 9/);
  await failing({ outlets: [first, { ...first, outlet: 9 }] }, 'OBM_INVALID', /outlet 9/);
  await failing({ outlets: [{ ...first, pdu: '2' }] }, 'OBM_INVALID', /no outlets/);
  t.deepEqual(pdu.ledger, []);
});

test('a locked outlet, and a value that the PDU does not allow, are rejected while nothing is sent', async (t) => {
  const pdu = await startRedfishPdu(t);
  const driver = openDriver(service, pdu.config);
  pdu.fields = { PowerControlLocked: true };
  await t.throwsAsync(driver.power('on', NEVER, free), { code: 'OBM_REJECTED', message: /unlock it/ });
  const target = '/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/1/Actions/Outlet.PowerControl';
  const action = { target, 'PowerState@Redfish.AllowableValues': ['On', 'Off'] };
  pdu.fields = { Actions: { '#Outlet.PowerControl': action } };
  await t.throwsAsync(driver.power('reset', NEVER, free), { code: 'OBM_UNSUPPORTED', message: /On, Off/ });
  pdu.fields = { Actions: {} };
  await t.throwsAsync(driver.power('off', NEVER, free), { code: 'OBM_UNSUPPORTED' });
  t.deepEqual(pdu.ledger, []);
});

test('an outlet in transition is switched, and changes', async (t) => {
  const pdu = await startRedfishPdu(t);
  pdu.fields = { PowerStateInTransition: true };
  const driver = openDriver(service, pdu.config);
  t.is(await driver.state(NEVER), 'changing');
  await driver.power('off', NEVER, free);
  t.deepEqual(pdu.ledger, ['Off 1']);
});

test('without offSec an outlet stays off as long as in a power cycle of the PDU, and ten seconds at least', (t) => {
  const off = { state: 'off' } as const;
  t.is(darkMs([off, { state: 'on', offMs: 20_000 }], { offMs: undefined }), 20_000);
  t.is(darkMs([{ ...off, offMs: 1_000 }], { offMs: undefined }), 10_000);
  t.is(darkMs([{ ...off, offMs: 20_000 }], { offMs: 0 }), 0);
  t.is(darkMs([{ state: 'on', offMs: 20_000 }], { offMs: undefined }), 0);
});

test('a power state that does not change fails the task as OBM_UNCHANGED, after one command', async (t) => {
  const pdu = await startRedfishPdu(t);
  pdu.fault = 'stuck';
  const driver = openDriver(service, pdu.config);
  const obm = {
    ...driver,
    state: driver.state.bind(driver),
    power: (action: 'on', signal: AbortSignal) => driver.power(action, signal, free),
  };
  const scope = { input: { to: 'on', timeoutMs: 1 }, nodeId: 'n', sent: [], timeLeftMs: null, signal: NEVER };
  const error = await t.throwsAsync<ObmError>(switchPower({ ...scope, services: { obm: async () => obm } } as never), {
    instanceOf: ObmError,
  });
  t.like(error, { code: 'OBM_UNCHANGED', sent: true });
  t.deepEqual(pdu.ledger, ['On 1']);
});

test('a wrong config is rejected with its paths', (t) => {
  const outlets = [{ host: 'pdu1', outlet: 'A1' }];
  const access = { user: 'admin', password: 'p' };
  const pathsOf = (config: object) =>
    configViolations(service, { ...access, outlets, ...config }).map(({ path }) => path);
  t.deepEqual(pathsOf({}), []);
  t.deepEqual(pathsOf({ outlets: [...outlets, ...outlets] }), ['outlets.1']);
  for (const [wrong, path] of [
    [{ user: undefined }, 'user'],
    [{ outlets: [{ host: 'pdu1', outlet: '../1' }] }, 'outlets.0.outlet'],
    [{ outlets: [{ host: 'pdu1', pdu: 'a/b', outlet: 1 }] }, 'outlets.0.pdu'],
    [{ outlets: [{ host: '999.1.1.1', outlet: 1 }] }, 'outlets.0.host'],
    [{ offSec: 301 }, 'offSec'],
  ] as const) {
    t.true(pathsOf(wrong).includes(path), JSON.stringify([pathsOf(wrong), path]));
  }
  t.deepEqual(shownConfig(service, { outlets, verifySSL: false, ...access }), {
    outlets,
    verifySSL: false,
    user: 'admin',
    password: REDACTED,
  });
  t.deepEqual(configSecrets(service, { outlets, ...access }), ['p']);
});
