/** Accounts of BMCs on the real engine: made by Redfish and in band, rotated, and in no record that users see. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { accountScript } from '../../engine/hardware/redfish/create-account.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { openDriver } from '../support/bmcs/drivers.ts';
import { noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const withSim = needing(noIpmiSim) as Pick<TestFn<{ it: TestEngine }>, 'serial'>;
const service = 'redfish-obm-service';

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.after.always((t) => t.context.it?.close());

async function scene(t: ExecutionContext<{ it: TestEngine }>) {
  const { it } = t.context;
  const twin = await startTwinBmc(t);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service, config: twin.config });
  const run = async (graph: string, options: Record<string, unknown> = {}) => {
    const { id } = await it.launch(graph, options, node);
    return it.finished(id);
  };
  return { ...twin, run };
}

test('a password is rotated: the BMC has it, the next command uses it, and no record shows it', async (t) => {
  const { state, run } = await scene(t);
  const row = await run('Graph.Bmc.RotatePassword', { 'rotate-password': { length: 24 } });
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  const password = state.bmc.accounts[0]?.password ?? '';
  t.is(password.length, 24);
  t.is((await run('Graph.IdentifyOn.Node')).status, 'succeeded');
  const { it } = t.context;
  const { items } = await it.engine.obms.list({ filter: {}, skip: 0, limit: 100 });
  t.false(JSON.stringify([row, it.events, items]).includes(password));
});

test('an account is made by Redfish with the obm of another, and a repeat gives it another password', async (t) => {
  const { state, ledger, run } = await scene(t);
  const options = { 'create-account': { by: 'redfish', user: 'rack' } };
  const first = await run('Graph.Bmc.CreateAccount', options);
  t.is(first.status, 'succeeded', JSON.stringify(first.error));
  const password = state.bmc.accounts.find(({ user }) => user === 'rack')?.password ?? '';
  t.is((await run('Graph.IdentifyOn.Node')).status, 'succeeded');
  t.is((await run('Graph.Bmc.CreateAccount', options)).status, 'succeeded');
  t.deepEqual(
    ledger.filter((line) => line.startsWith('account')),
    ['account create rack: done, root', 'account change rack: Password, RoleId, Enabled: done, rack'],
  );
  t.not(state.bmc.accounts.find(({ user }) => user === 'rack')?.password, password);
  t.false(JSON.stringify([first, t.context.it.events]).includes(password));
});

withSim.serial('the script in band makes an administrator who logs in, and finds its own place again', async (t) => {
  const sim = await startIpmiSim(t, 'calvin-hobbes');
  const { host, port, user, password } = sim.config;
  const bin = folder(t);
  const session = `-I lanplus -C 3 -H ${host} -p ${port} -U ${user} -P ${password}`;
  writeFileSync(join(bin, 'ipmitool'), `#!/bin/sh\nexec /usr/bin/ipmitool ${session} "$@"\n`, { mode: 0o755 });
  const run = (secret: string) =>
    promisify(execFile)('sh', ['-c', accountScript('nodewright', secret)], {
      env: { PATH: `${bin}:${process.env.PATH ?? ''}` },
      timeout: WAIT_MS,
    });
  for (const secret of ['Abcdefgh23456789', 'Bcdefghi23456789']) {
    await run(secret);
    const driver = openDriver('ipmi-obm-service', { ...sim.config, user: 'nodewright', password: secret });
    t.is(await driver.state(AbortSignal.timeout(WAIT_MS)), 'off');
  }
  const names = (await sim.tool('-c', 'user', 'list', '1')).split('\n').map((line) => line.split(',')[1]);
  t.is(names.filter((name) => name === 'nodewright').length, 1);
});
