/** The faults of a BMC of a twin's machine, as its clients see them. */
import test from 'ava';
import type { TimedFault } from '../../../../engine/hardware/twin/faults/fault.ts';
import { TWIN_PASSWORD, type TwinMachine, type TwinOptions, twinMachine } from '../../../support/bmcs/twin-bmc.ts';
import { ask } from '../../../support/bmcs/twin-requests.ts';
import { serveImages } from '../../../support/servers/source.ts';

const TWIN_SYSTEM = '/redfish/v1/Systems/system';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const UPDATE = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';

/** A machine that is to have a fault from its first moment. */
const faulty = (kind: TimedFault['kind'], ms?: number, options: TwinOptions = {}): TwinMachine => {
  const target = 'r01s04';
  return twinMachine({
    ...options,
    faults: { timed: [{ line: 1, kind, at: 0, target, ...(ms && { ms }) }], rated: [] },
  });
};

test('an update that hangs never ends, one that fails says so, and neither changes a version', async (t) => {
  const files = await serveImages(t, 'bmc-9.9.bin');
  for (const [kind, state, status] of [
    ['update hangs', 'Running', 202],
    ['update fails', 'Exception', 200],
  ] as const) {
    const twin = faulty(kind, undefined, { speed: 1 });
    const { headers } = await ask(twin, 'POST', UPDATE, { body: { ImageURI: `${files}/bmc-9.9.bin` } });
    await twin.machine.downloadsEnded();
    const { basis } = twin.machine.around.time;
    Object.assign(basis, { field: basis.field + 9_000_000 });
    const ended = await ask(twin, 'GET', headers.Location ?? '');
    t.deepEqual([ended.status, ended.body.TaskState], [status, state]);
    t.is(twin.state.bmc.versions.BMC, '2.14.0');
    const begun = 'update BMC from bmc-9.9.bin: begun, root';
    t.deepEqual(twin.ledger, status === 202 ? [begun] : [begun, 'update BMC from bmc-9.9.bin: failed, BMC']);
    const messages = twin.state.bmc.log.map(({ message }) => message);
    t.is(messages.includes('The update of BMC has failed.'), status === 200);
  }
});

test('faults: it does not answer, is not available, or knows no password', async (t) => {
  t.is((await ask(faulty('silent', 60_000, { speed: 1 }), 'GET', '/redfish/v1')).text, 'silent');
  const { status, headers } = await ask(faulty('503', 60_000, { speed: 1 }), 'GET', '/redfish/v1');
  t.deepEqual([status, headers['Retry-After']], [503, '30']);
  const fooled = faulty('wrong password');
  t.is((await ask(fooled, 'GET', TWIN_SYSTEM)).status, 401);
  const login = { headers: {}, body: { UserName: 'root', Password: TWIN_PASSWORD } };
  t.is((await ask(fooled, 'POST', SESSIONS, login)).status, 401);
  t.is((await ask(fooled, 'GET', '/redfish/v1', { headers: {} })).status, 200);
});

test('a reset that a fault ignores is answered as if it was done, and the ledger says so', async (t) => {
  const twin = faulty('reset ignored');
  const body = { ResetType: 'On' };
  t.is((await ask(twin, 'POST', `${TWIN_SYSTEM}/Actions/ComputerSystem.Reset`, { body })).status, 204);
  t.is(twin.state.power.is, 'Off');
  t.is((await ask(twin, 'POST', `${TWIN_SYSTEM}/Actions/ComputerSystem.Reset`, { body })).status, 204);
  t.is(twin.state.power.is, 'PoweringOn');
  t.deepEqual(twin.ledger, ['power reset On: ignored, root', 'power reset On: done, root']);
});

test('power that is stuck stays on its way until the next command', async (t) => {
  const twin = faulty('power stuck', undefined, { speed: 60_000 });
  const reset = `${TWIN_SYSTEM}/Actions/ComputerSystem.Reset`;
  t.is((await ask(twin, 'POST', reset, { body: { ResetType: 'On' } })).status, 204);
  t.deepEqual(twin.state.power, { is: 'PoweringOn' }, 'nothing ends it');
  t.is((await ask(twin, 'POST', reset, { body: { ResetType: 'ForceOff' } })).status, 204);
  t.is(twin.state.power.next, 'Off');
  t.deepEqual(twin.ledger, ['power reset On: stuck, root', 'power reset ForceOff: done, root']);
});

test('the ledger has commands that are refused', async (t) => {
  const twin = faulty('slow', 1);
  const calls = [
    [`${TWIN_SYSTEM}/Actions/ComputerSystem.Reset`, { ResetType: 'Bogus' }],
    [UPDATE, { ImageURI: 'http://10.0.0.1/x.bin' }],
    ['/redfish/v1/AccountService/Accounts', { UserName: 'a', Password: 'b', RoleId: 'Administrator' }],
  ] as const;
  for (const [path, body] of calls) t.is((await ask(twin, 'POST', path, { body })).status, 400, path);
  t.deepEqual(twin.ledger, [
    'power POST ComputerSystem.Reset: refused, root',
    'update POST UpdateService.SimpleUpdate: refused, root',
    'account POST Accounts: refused, root',
  ]);
});

test('a slow answer ends with the one that waits for it', async (t) => {
  const { bmc } = faulty('slow', 600_000);
  const ending = new AbortController();
  const answer = bmc.answer({ method: 'GET', path: '/redfish/v1', headers: {}, body: Buffer.alloc(0) }, ending.signal);
  ending.abort(new Error('the connection is closed'));
  await t.throwsAsync(answer, { name: 'AbortError' });
});
