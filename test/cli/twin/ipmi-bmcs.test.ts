/** Machines of a twin whose BMCs speak IPMI only: our driver on OpenIPMI's simulator changes the state of the machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { IpmiBmcs } from '../../../api/cli/twin/ipmi-bmcs.ts';
import { openIpmi } from '../../../engine/hardware/obm/ipmi.ts';
import { folder } from '../../support/ava/folder.ts';
import { needing } from '../../support/ava/needs.ts';
import { WAIT_MS } from '../../support/ava/patience.ts';
import { freePort, noIpmiSim } from '../../support/bmcs/ipmi-sim.ts';
import { seen } from '../../support/faults/workload.ts';
import { offlineTwin } from '../../support/twin/offline-twin.ts';

const real = needing(noIpmiSim);

/** The fields of a machine that its simulator needs. */
const simulatedMachine = {
  name: 'r01s01',
  facts: { bmcAddress: '127.0.0.1', uuid: '4c4c4544-0037-4d10-8053-b4c04f4e3032' },
  state: { bmc: { accounts: [{ user: 'root', password: 'calvin' }] } },
};
const SIMULATOR_END_LOOK_MS = 20;

const { signal } = new AbortController();
const commit = async () => {};

async function opened(t: ExecutionContext) {
  const [twin, data, port] = [offlineTwin(), folder(t), await freePort()];
  const { machine } = twin;
  const bmcs = new IpmiBmcs([machine], data, port, (text) => twin.problems.push(text));
  t.teardown(() => bmcs.close());
  await bmcs.open();
  const { user = '', password = '' } = machine.state.bmc.accounts[0] ?? {};
  const limits = {
    breakers: { run: (_: string, __: AbortSignal, send: () => Promise<string>) => send() },
    timeoutMs: WAIT_MS,
    cipherSuite: 3,
  };
  const driver = openIpmi({ host: machine.facts.bmcAddress, port, user, password }, limits as never);
  // A simulator listens soon after its process has started.
  await seen(async () => (await driver.state(signal)) !== undefined);
  const pid = () => Number(readFileSync(join(data, 'ipmi', machine.name, 'pid'), 'utf8'));
  return { twin, machine, data, port, bmcs, driver, pid };
}

real.serial(
  'power, boot device and light are those of the machine, and the ledger has each change of power',
  async (t) => {
    const { twin, machine, driver } = await opened(t);
    machine.state.power = { is: 'Off' };
    t.is(await driver.state(signal), 'off');
    await driver.boot({ device: 'pxe' }, signal);
    t.like(machine.state.bmc.override, { target: 'Pxe', enabled: 'Once' });
    await driver.power('on', signal, commit);
    t.is(machine.state.power.is, 'PoweringOn');
    await machine.settlePower();
    t.is(await driver.state(signal), 'on');
    await driver.power('reset', signal, commit);
    await driver.power('off', signal, commit);
    await machine.settlePower();
    t.is(await driver.state(signal), 'off');
    await driver.identify(true, signal);
    t.is(machine.state.bmc.light, 'Blinking');
    await driver.identify(false, signal);
    t.is(machine.state.bmc.light, 'Off');
    await driver.clearLog(signal, commit);
    t.deepEqual(twin.ledger, ['power on: done', 'power reset: done', 'power off: done']);
  },
);

real.serial('a machine without mains answers no command', async (t) => {
  const { twin, machine, driver } = await opened(t);
  machine.state.outageUntil = Number.MAX_SAFE_INTEGER;
  await t.throwsAsync(driver.power('on', signal, commit), { name: 'ObmError' });
  t.deepEqual(twin.ledger, []);
});

real.serial(
  'a simulator ends with the twin; one that a killed twin left ends at the next start, a stranger does not',
  async (t) => {
    const { machine, data, bmcs, pid } = await opened(t);
    const first = pid();
    await bmcs.close();
    t.false(existsSync(`/proc/${first}`));
    const home = join(data, 'ipmi', 'left');
    mkdirSync(home, { recursive: true });
    const left = spawn('ipmi_sim', simulatorArguments(home, await freePort()), { stdio: 'ignore' });
    t.teardown(() => left.kill('SIGKILL'));
    const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
    t.teardown(() => stranger.kill('SIGKILL'));
    await Promise.all([once(left, 'spawn'), once(stranger, 'spawn')]);
    writeFileSync(join(home, 'pid'), `${left.pid}\n`);
    mkdirSync(join(data, 'ipmi', 'stranger'));
    writeFileSync(join(data, 'ipmi', 'stranger', 'pid'), `${stranger.pid}\n`);
    const gone = once(left, 'exit');
    const next = new IpmiBmcs([machine], data, await freePort(), () => {});
    t.teardown(() => next.close());
    await next.open();
    t.is((await gone)[1], 'SIGKILL');
    t.is(stranger.exitCode, null);
  },
);

real.serial('a simulator ends with a twin that is killed', async (t) => {
  const data = folder(t);
  const script = `
    import { IpmiBmcs } from ${JSON.stringify(new URL('../../../api/cli/twin/ipmi-bmcs.ts', import.meta.url).href)};
    const machine = ${JSON.stringify(simulatedMachine)};
    await new IpmiBmcs([machine], ${JSON.stringify(data)}, ${await freePort()}, () => {}).open();
    process.stdout.write('open');
    setInterval(() => {}, 1_000);`;
  const twin = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => twin.kill('SIGKILL'));
  await once(twin.stdout, 'data');
  const pid = readFileSync(join(data, 'ipmi', simulatedMachine.name, 'pid'), 'utf8').trim();
  t.true(existsSync(`/proc/${pid}`));
  twin.kill('SIGKILL');
  await once(twin, 'exit');
  while (existsSync(`/proc/${pid}`)) await setTimeout(SIMULATOR_END_LOOK_MS);
  t.pass();
});

/** Returns the arguments for a simulator on one address. */
function simulatorArguments(home: string, port: number): string[] {
  const [lan, emulation] = [join(home, 'lan.conf'), join(home, 'sim.emu')];
  writeFileSync(lan, `name "left"\nset_working_mc 0x20\nstartlan 1\naddr 127.0.0.1 ${port}\nendlan\n`);
  writeFileSync(emulation, 'mc_setbmc 0x20\n');
  return ['-c', lan, '-f', emulation, '-s', home, '-n'];
}
