/** `ipmi-obm-service` against a BMC that records its commands. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ObmError } from '../../../../engine/define/obm.ts';
import type { ObmDriver } from '../../../../engine/hardware/obm/driver.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { freePort, noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';

const test = needing(noIpmiSim);
const free = async () => {};

const obmOf = (config: object, timeoutMs = 20_000): ObmDriver => openDriver('ipmi-obm-service', config, { timeoutMs });

const failing = async (t: ExecutionContext, work: Promise<unknown>): Promise<ObmError> =>
  (await t.throwsAsync(work)) as ObmError;

test.serial('each action reaches the machine once, with its arguments', async (t) => {
  const sim = await startIpmiSim(t);
  const obm = obmOf(sim.config);
  t.is(await obm.state(NEVER), 'off');
  await obm.power('on', NEVER, free);
  t.is(await obm.state(NEVER), 'on');
  await obm.power('reset', NEVER, free);
  await obm.power('soft', NEVER, free);
  await obm.power('off', NEVER, free);
  t.is(await obm.state(NEVER), 'off');
  await obm.boot({ device: 'pxe', persistent: true, uefi: true }, NEVER);
  await obm.boot({ device: 'disk' }, NEVER);
  await obm.identify(true, NEVER);
  await obm.identify(false, NEVER);
  t.deepEqual(sim.ledger, [
    ...['power 1', 'reset 1', 'shutdown 1', 'power 0'],
    ...['boot pxe', 'boot default', 'identify 0 1', 'identify 0 0'],
  ]);
});

test.serial('the system event log is empty after a clear', async (t) => {
  const sim = await startIpmiSim(t);
  // IPMI 2.0, 31.6: Add SEL Entry, of a system event.
  await sim.tool('raw', '0x0a', '0x44', ...'0 0 2 0 0 0 0 0x20 0 4 1 0x30 1 0x59 0xff 0xff'.split(' '));
  t.regex(await sim.tool('sel', 'info'), /Entries\s+: 1/);
  await obmOf(sim.config).clearLog(NEVER, free);
  t.regex(await sim.tool('sel', 'info'), /Entries\s+: 0/);
});

test.serial('a BMC that answers late executes a reset once, where ipmitool alone sends it again', async (t) => {
  const sim = await startIpmiSim(t);
  sim.slow(2.5);
  await obmOf(sim.config).power('reset', NEVER, free);
  t.deepEqual(sim.ledger, ['reset 1']);
  await sim.tool('chassis', 'power', 'reset');
  t.true(sim.ledger.length > 2);
});

test.serial('a command that a BMC receives and never answers is not reported as not done', async (t) => {
  const sim = await startIpmiSim(t);
  sim.hold();
  const error = await failing(t, obmOf(sim.config, 8_000).power('reset', NEVER, free));
  t.like(error, { code: 'OBM_UNANSWERED', sent: true });
  t.deepEqual(sim.ledger, ['reset 1']);
});

test.serial(
  'an ambiguous error answer to a command fails as OBM_FAILED, without a statement that nothing was sent',
  async (t) => {
    const sim = await startIpmiSim(t);
    sim.reject();
    const error = await failing(t, obmOf(sim.config).power('on', NEVER, free));
    t.like(error, { code: 'OBM_FAILED', sent: undefined, retry: undefined });
    t.regex(error.message, /says "Unspecified error"/);
  },
);

test.serial('a command that the BMC declines counts as not executed', async (t) => {
  const home = folder(t);
  const said = 'Set Chassis Power Control to Up/On failed: Command not supported in present state';
  writeFileSync(join(home, 'ipmitool'), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${home}:${PATH}`;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  const error = await failing(t, obmOf({ host: '127.0.0.1', user: 'root', password: 'x' }).power('on', NEVER, free));
  t.like(error, { code: 'OBM_FAILED', sent: false, retry: undefined });
  t.regex(error.message, /says "Command not supported in present state"/);
});

test.serial(
  'a wrong user, a wrong password and an unknown cipher suite are distinguished from a dead BMC',
  async (t) => {
    const sim = await startIpmiSim(t);
    const wrong = async (change: object) => failing(t, obmOf({ ...sim.config, ...change }).state(NEVER));
    for (const change of [{ password: 'moe' }, { user: 'susie' }]) {
      const error = await wrong(change);
      t.like(error, { code: 'OBM_REJECTED', retry: false });
      t.regex(error.message, /rejected the user name or the password/);
    }
    const cipher = await wrong({ cipherSuite: 17 });
    t.like(cipher, { code: 'OBM_REJECTED', retry: false });
    t.regex(cipher.message, /cipherSuite/);
    t.like(await wrong({ port: await freePort() }), { code: 'OBM_UNREACHABLE', retry: undefined, sent: false });
    t.deepEqual(sim.ledger, []);
  },
);

test.serial('a command or a query to a hanging BMC times out', async (t) => {
  const sim = await startIpmiSim(t);
  sim.signal('SIGSTOP');
  const obm = obmOf(sim.config, 8_000);
  t.like(await failing(t, obm.state(NEVER)), { code: 'OBM_UNREACHABLE', sent: false });
  t.like(await failing(t, obm.power('reset', NEVER, free)), { code: 'OBM_UNREACHABLE', sent: false });
  sim.signal('SIGCONT');
  t.is(await obm.state(NEVER), 'off');
});

test.serial('an abort takes effect immediately and ends the process', async (t) => {
  const sim = await startIpmiSim(t);
  sim.hold();
  const abort = new AbortController();
  const ended = t.throwsAsync(obmOf(sim.config).power('on', abort.signal, free), { message: 'enough' });
  await sim.asked(1);
  abort.abort(new Error('enough'));
  await ended;
  t.deepEqual(toolsOn(sim.port), []);
});

/** Command lines and environments of the ipmitool processes that connect to that port. */
const toolsOn = (port: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return line[0] === 'ipmitool' && line.includes(String(port)) ? [line.join(' ')] : [];
      } catch {
        return []; // the process has ended
      }
    });

test.serial('the password is on no command line and in no message', async (t) => {
  const sim = await startIpmiSim(t);
  sim.hold();
  const obm = obmOf(sim.config, 8_000);
  const ended = failing(t, obm.power('on', NEVER, free));
  await sim.asked(1);
  const [line = ''] = toolsOn(sim.port);
  t.regex(line, /chassis power on/);
  t.false(line.includes(sim.config.password));
  t.false(JSON.stringify([await ended, (await ended).stack]).includes(sim.config.password));
});
