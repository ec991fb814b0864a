/** The outlets of PDUs, beyond the rules of all drivers (`drivers.test.ts`). */
import test from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import { configViolations } from '../../../../engine/hardware/obm/obm-settings.ts';
import { outletObjects } from '../../../../engine/hardware/obm/outlet-objects.ts';
import { pduOf } from '../../../../engine/hardware/obm/pdu-settings.ts';
import { configSecrets, shownConfig } from '../../../../engine/hardware/obm/shown-config.ts';
import { REDACTED } from '../../../../engine/vocabulary/encrypted-values.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { startPdu } from '../../../support/bmcs/pdu.ts';
import { freeUdpPort } from '../../../support/servers/free-udp-port.ts';

const service = 'pdu-obm-service';
const free = async () => {};

test('a node with two feeds is on or off when both outlets are, and each is set once', async (t) => {
  const [left, right] = [await startPdu(t), await startPdu(t)];
  const outlets = [left.config.outlets[0], { ...right.config.outlets[0], outlet: 2 }];
  const driver = openDriver(service, { ...left.config, outlets });
  await driver.power('on', NEVER, free);
  t.deepEqual([left.ledger, right.ledger], [['on 1'], ['on 2']]);
  t.is(await driver.state(NEVER), 'on');
  await openDriver(service, left.config).power('off', NEVER, free);
  t.is(await driver.state(NEVER), 'changing');
  await driver.power('off', NEVER, free);
  t.is(await driver.state(NEVER), 'off');
});

test('a command that went out for the first outlet only may be done', async (t) => {
  const [left, right] = [await startPdu(t), await startPdu(t)];
  right.isReadOnly = true;
  const driver = openDriver(service, { ...left.config, outlets: [left.config.outlets[0], right.config.outlets[0]] });
  const error = await t.throwsAsync<ObmError>(driver.power('on', NEVER, free), { instanceOf: ObmError });
  t.like(error, { code: 'OBM_UNANSWERED', sent: true });
  t.regex(error?.message ?? '', /rejected the command.*went out for 1 other/s);
  t.deepEqual([left.ledger, right.ledger], [['on 1'], []]);
});

test('a PDU that rejects a command, or has no such outlet, leaves the node as it was', async (t) => {
  const pdu = await startPdu(t);
  pdu.isReadOnly = true;
  const rejected = openDriver(service, pdu.config).power('on', NEVER, free);
  await t.throwsAsync(rejected, { code: 'OBM_FAILED', message: /rejected the command: NoAccess/ });
  let commits = 0;
  const count = async () => {
    commits += 1;
  };
  const [outlet] = pdu.config.outlets;
  const missing = openDriver(service, { ...pdu.config, outlets: [{ ...outlet, outlet: 9 }] });
  await t.throwsAsync(missing.power('on', NEVER, count), { code: 'OBM_INVALID', message: /outlet 9 of 127/ });
  const silent = { ...outlet, port: await freeUdpPort() };
  const half = openDriver(service, { ...pdu.config, outlets: [outlet, silent] });
  await t.throwsAsync(half.power('on', NEVER, count), { code: 'OBM_UNREACHABLE' });
  t.is(commits, 0);
  t.deepEqual(pdu.ledger, []);
});

test('an outlet that is off stays so for offSec before it is switched on, unless the task is cancelled', async (t) => {
  const pdu = await startPdu(t);
  const cancel = new AbortController();
  const driver = openDriver(service, { ...pdu.config, offSec: 300 });
  const on = driver.power('on', cancel.signal, async () => t.fail('it was committed'));
  setImmediate(() => cancel.abort(new Error('enough')));
  await t.throwsAsync(on, { message: 'enough' });
  t.deepEqual(pdu.ledger, []);
  await driver.power('off', NEVER, free);
  t.deepEqual(pdu.ledger, ['off 1']);
});

test('a boot order is accepted, without effect, of a machine that boots from the network', async (t) => {
  const pdu = await startPdu(t);
  await openDriver(service, { ...pdu.config, bootsFromNetwork: true }).boot({ device: 'pxe' }, NEVER);
  t.deepEqual(pdu.ledger, []);
});

test('the index of an outlet is complete, or follows that of the first PDU of a chain', (t) => {
  const indexOf = (model: string, outlet: unknown) =>
    pduOf({ model, outlets: [{ host: 'pdu1', outlet }] as never }).outlets[0]?.index;
  t.is(indexOf('apc', 7), '7');
  t.is(indexOf('raritan', '7'), '1.7');
  t.is(indexOf('eaton', 7), '0.7');
  t.is(indexOf('servertech', 7), '1.1.7');
  t.is(indexOf('servertech', '2.1.7'), '2.1.7');
});

test('of no model one value means on and off', (t) => {
  for (const [name, { on, off, state }] of Object.entries(outletObjects)) {
    t.notDeepEqual(on, off, name);
    t.not(state.on, state.off, name);
    for (const { column } of [on, off, state]) t.regex(column, /^1\.3\.6\.1\.4\.1(\.\d+)+$/, name);
  }
});

test('a wrong config is rejected with its paths', (t) => {
  const pathsOf = (config: object) => configViolations(service, { ...config }).map(({ path }) => path);
  const outlets = [{ host: 'pdu1', outlet: 3 }];
  t.deepEqual(pathsOf({ outlets, model: 'apc' }), []);
  t.deepEqual(pathsOf({ outlets, model: 'apc', user: 'nw', authPassword: 'long-secret' }), []);
  t.deepEqual(pathsOf({ outlets, model: 'apc', authPassword: 'long-secret' }), ['authPassword']);
  t.deepEqual(pathsOf({ outlets: [...outlets, ...outlets], model: 'apc' }), ['outlets.1']);
  t.deepEqual(pathsOf({ outlets: [{ host: '999.1.1.1', outlet: 3 }], model: 'apc' }), ['outlets.0.host']);
  for (const [wrong, path] of [
    [{ outlets }, 'model'],
    [{ outlets: [], model: 'apc' }, 'outlets'],
    [{ outlets: [{ host: 'pdu1', outlet: '3;' }], model: 'apc' }, 'outlets.0.outlet'],
    [{ outlets, model: 'none' }, 'model'],
  ] as const) {
    t.true(pathsOf(wrong).includes(path), JSON.stringify([pathsOf(wrong), path]));
  }
});

test('the communities and passwords of a PDU are not shown', (t) => {
  const secrets = {
    community: 'lab-reads',
    writeCommunity: 'lab-writes',
    authPassword: 'a-secret',
    privPassword: 'p-secret',
  };
  const config = { outlets: [{ host: 'pdu1', outlet: 3 }], model: 'apc', offSec: 5, user: 'nw', ...secrets };
  t.deepEqual(shownConfig(service, config), {
    ...config,
    ...Object.fromEntries(Object.keys(secrets).map((key) => [key, REDACTED])),
  });
  t.deepEqual(configSecrets(service, config), Object.values(secrets));
});
