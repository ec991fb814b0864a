/** `redfish-obm-service` against a service that follows DSP0266 and counts its sessions. */
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import type { Dispatcher } from 'undici';
import { selfSignedPair } from '../../../../api/endpoint/self-signed.ts';
import type { ObmError } from '../../../../engine/define/obm.ts';
import { RedfishSessions } from '../../../../engine/hardware/obm/bmc-sessions.ts';
import { redfishOf } from '../../../../engine/hardware/obm/obm-settings.ts';
import { readAnswer } from '../../../../engine/hardware/obm/redfish-answer.ts';
import { folder } from '../../../support/ava/folder.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { startRedfish } from '../../../support/bmcs/redfish.ts';

const free = async () => {};
setMaxListeners(1_000, NEVER);
const SYSTEM = '/redfish/v1/Systems/437XR1138R2';

function obmOf(t: ExecutionContext, config: object, { timeoutMs = 5_000, idleMs = 60_000 } = {}) {
  const failures: unknown[] = [];
  const sessions = new RedfishSessions(timeoutMs, (error) => failures.push(error), idleMs);
  t.teardown(() => sessions.close());
  return { obm: openDriver('redfish-obm-service', config, { timeoutMs, sessions }), sessions, failures };
}

const failing = async (t: ExecutionContext, work: Promise<unknown>): Promise<ObmError> =>
  (await t.throwsAsync(work)) as ObmError;

for (const types of ['beside', 'info', 'nowhere'] as const) {
  test(`power is switched with the reset types that the BMC lists: ${types}`, async (t) => {
    const bmc = await startRedfish(t, { types });
    const { obm } = obmOf(t, bmc.config);
    t.is(await obm.state(NEVER), 'off');
    await obm.power('on', NEVER, free);
    t.is(await obm.state(NEVER), 'on');
    for (const action of ['reset', 'soft', 'off'] as const) await obm.power(action, NEVER, free);
    t.is(await obm.state(NEVER), 'off');
    t.deepEqual(bmc.done.all, ['reset On', 'reset ForceRestart', 'reset GracefulShutdown', 'reset ForceOff']);
  });
}

test('an equivalent reset type is used, and without one the error lists the types and nothing is done', async (t) => {
  const bmc = await startRedfish(t, { resets: ['ForceOn', 'PowerCycle', 'Nmi'] });
  const { obm } = obmOf(t, bmc.config);
  await obm.power('on', NEVER, free);
  await obm.power('reset', NEVER, free);
  const error = await failing(t, obm.power('off', NEVER, free));
  t.like(error, { code: 'OBM_UNSUPPORTED', retry: false });
  t.regex(error.message, /ForceOn, PowerCycle, Nmi, expected ForceOff/);
  t.deepEqual(bmc.done.all, ['reset ForceOn', 'reset PowerCycle']);
});

test('the boot mode of the obm applies where the task has none', async (t) => {
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, { ...bmc.config, uefi: true });
  await obm.boot({ device: 'disk' }, NEVER);
  await obm.boot({ device: 'disk', uefi: false }, NEVER);
  const modes = bmc.done.all.map((said) => JSON.parse(said).Boot.BootSourceOverrideMode);
  t.deepEqual(modes, ['UEFI', 'Legacy']);
});

test('boot device, light and system event log are set at the resources where this BMC has them', async (t) => {
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, bmc.config);
  await obm.boot({ device: 'pxe', persistent: true, uefi: true }, NEVER);
  await obm.boot({ device: 'disk' }, NEVER);
  await obm.identify(true, NEVER);
  await obm.clearLog(NEVER, free);
  t.is(bmc.entries, 0);
  t.deepEqual(
    bmc.done.all.slice(0, 3).map((said) => JSON.parse(said)),
    [
      {
        Boot: {
          BootSourceOverrideTarget: 'Pxe',
          BootSourceOverrideEnabled: 'Continuous',
          BootSourceOverrideMode: 'UEFI',
        },
      },
      { Boot: { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Once' } },
      { LocationIndicatorActive: true },
    ],
  );
  const older = await startRedfish(t, { led: 'IndicatorLED' });
  const { obm: old } = obmOf(t, older.config);
  await old.identify(true, NEVER);
  await old.identify(false, NEVER);
  t.deepEqual(older.done.all, ['{"IndicatorLED":"Blinking"}', '{"IndicatorLED":"Off"}']);
});

test('one session serves all concurrent and later requests, and is ended at close', async (t) => {
  const bmc = await startRedfish(t);
  const { obm, sessions, failures } = obmOf(t, bmc.config);
  await Promise.all(Array.from({ length: 10 }, () => obm.state(NEVER)));
  await obm.power('on', NEVER, free);
  t.is(bmc.opened, 1);
  t.is(bmc.open, 1);
  await sessions.close();
  t.is(bmc.open, 0);
  t.deepEqual(failures, []);
});

test('an idle session is ended', async (t) => {
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, bmc.config, { idleMs: 1 });
  await obm.state(NEVER);
  while (bmc.open > 0) await new Promise(setImmediate);
  await obm.state(NEVER);
  t.is(bmc.opened, 2);
});

test('a session that the BMC has dropped is created again, and the request is executed once', async (t) => {
  const bmc = await startRedfish(t);
  const { obm, sessions } = obmOf(t, bmc.config);
  await obm.state(NEVER);
  bmc.expire();
  await obm.power('on', NEVER, free);
  t.deepEqual(bmc.done.all, ['reset On']);
  t.is(bmc.opened, 2);
  await sessions.close();
  t.is(bmc.open, 0);
});

test('a session is ended even if its request failed or was aborted', async (t) => {
  const bmc = await startRedfish(t, { others: ['/redfish/v1/Systems/2'] });
  const { obm, sessions } = obmOf(t, bmc.config);
  const error = await failing(t, obm.state(NEVER));
  t.like(error, { code: 'OBM_INVALID', retry: false });
  t.regex(error.message, /has 2 systems: .*437XR1138R2, .*Systems\/2; name .* as root/);
  const abort = new AbortController();
  bmc.silent = /Systems/;
  const ended = t.throwsAsync(obm.state(abort.signal), { message: 'enough' });
  abort.abort(new Error('enough'));
  await ended;
  await sessions.close();
  t.is(bmc.open, 0);
});

test('the system in the config is switched if there are several', async (t) => {
  const bmc = await startRedfish(t, { others: ['/redfish/v1/Systems/2'] });
  await obmOf(t, { ...bmc.config, root: SYSTEM }).obm.power('on', NEVER, free);
  t.is(bmc.power, 'On');
});

test('a service without sessions gets the credentials with each request, and its rejection of them is reported', async (t) => {
  const bmc = await startRedfish(t, { sessions: false });
  const { obm } = obmOf(t, bmc.config);
  await obm.power('on', NEVER, free);
  t.is(await obm.state(NEVER), 'on');
  t.is(bmc.opened, 0);
  const { obm: stranger } = obmOf(t, { ...bmc.config, password: 'susie-derkins' });
  const error = await failing(t, stranger.power('off', NEVER, free));
  t.is(error.code, 'OBM_REJECTED');
  t.false(`${error.message}${error.stack}`.includes('susie-derkins'));
  t.deepEqual(bmc.done.all, ['reset On']);
});

test('a wrong password is reported as such, is in no message, and is not tried again', async (t) => {
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, { ...bmc.config, password: 'susie-derkins' });
  const error = await failing(t, obm.power('on', NEVER, free));
  t.like(error, { code: 'OBM_REJECTED', retry: false });
  t.false(`${error.message}${error.stack}`.includes('susie-derkins'));
  t.deepEqual(bmc.done.all, []);
});

test('a reset that times out may have been executed; a query or a login was not', async (t) => {
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, bmc.config, { timeoutMs: 2_000 });
  await obm.state(NEVER);
  bmc.silent = /Reset$/;
  t.like(await failing(t, obm.power('reset', NEVER, free)), { code: 'OBM_UNANSWERED', sent: true });
  t.deepEqual(bmc.done.all, ['reset ForceRestart']);
  bmc.silent = /Systems$/;
  t.like(await failing(t, obm.state(NEVER)), { code: 'OBM_UNREACHABLE', sent: false });
  bmc.silent = /Sessions$/;
  bmc.expire();
  t.like(await failing(t, obm.power('on', NEVER, free)), { code: 'OBM_UNREACHABLE', sent: false });
});

test("a rejection of the BMC is reported with the BMC's text", async (t) => {
  const bmc = await startRedfish(t);
  bmc.power = 'On';
  const error = await failing(t, obmOf(t, bmc.config).obm.power('on', NEVER, free));
  t.like(error, { code: 'OBM_FAILED', sent: false });
  t.regex(error.message, /answered 409: The system is on already/);
});

test('an unknown TLS certificate is rejected, unless its authority is configured or verification is off', async (t) => {
  const tls = await selfSignedPair(folder(t));
  const bmc = await startRedfish(t, { tls });
  t.like(await failing(t, obmOf(t, bmc.config).obm.state(NEVER)), { code: 'OBM_REJECTED', retry: false });
  t.is(bmc.asked.length, 0);
  t.is(await obmOf(t, { ...bmc.config, ca: tls.cert.toString() }).obm.state(NEVER), 'off');
  t.is(await obmOf(t, { ...bmc.config, verifySSL: false }).obm.state(NEVER), 'off');
});

test('the token is sent to no other host, whatever resources the BMC names', async (t) => {
  let strangers = 0;
  const stranger = createServer((_, response) => {
    strangers += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  t.teardown(() => stranger.close());
  const { port } = stranger.address() as { port: number };
  const bmc = await startRedfish(t);
  const { obm } = obmOf(t, { ...bmc.config, root: `//127.0.0.1:${port}/redfish/v1/Systems/1` });
  t.like(await failing(t, obm.power('on', NEVER, free)), { code: 'OBM_FAILED' });
  t.is(strangers, 0);
});

test('texts and keys of an answer are as every store keeps them', async (t) => {
  const body = Readable.from([Buffer.from('{"Model\\u0000":["R\\ud800", "\\ud83d\\ude00", {"a\\udfff":"b\\u0000"}]}')]);
  const answer = await readAnswer({ statusCode: 200, headers: {}, body } as unknown as Dispatcher.ResponseData);
  t.deepEqual(answer.body, { Model: ['R\ufffd', '\u{1f600}', { 'a\ufffd': 'b' }] });
});

test('an answer that is nested without an end is an error with that reason', async (t) => {
  const body = Readable.from([Buffer.from('['.repeat(100_000)), Buffer.from(']'.repeat(100_000))]);
  await t.throwsAsync(readAnswer({ statusCode: 200, headers: {}, body } as unknown as Dispatcher.ResponseData), {
    code: 'OBM_FAILED',
    message: /nested deeper than 64 levels/,
  });
});

test('a config without a usable address is rejected with the missing keys', (t) => {
  const invalid = (config: object) =>
    t.throws(() => redfishOf(config), { message: /redfish-obm-service cannot be used/ });
  t.regex(invalid({ username: 'root', password: 'x' })?.message ?? '', /neither a valid uri nor a valid host/);
  t.regex(invalid({ host: 'bmc', password: 'x' })?.message ?? '', /no user/);
  t.regex(invalid({ host: 'bmc', user: 'root' })?.message ?? '', /password/);
  t.is(redfishOf({ host: '::1', user: 'root', password: 'x' }).target.origin, 'https://[::1]');
  t.is(redfishOf({ host: 'bmc', port: 8443, user: 'root', password: 'x' }).target.origin, 'https://bmc:8443');
});
