/** The job of a test of a burn-in, as the node runs it: with the real tools where they are installed, and with others that misbehave. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { burnInCollect, burnInCommand, burnInLook } from '../../../../engine/hardware/burn-in/burn-in-commands.ts';
import type { BurnInTest } from '../../../../engine/hardware/burn-in/burn-in-tests.ts';
import { examinedMachine } from '../../../../engine/hardware/burn-in/examined-machine.ts';
import { reportsIn, testResult } from '../../../../engine/hardware/burn-in/test-results.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';
import { Bay } from '../../../support/bmcs/bay.ts';
import { isRunning } from '../../../support/faults/child.ts';

const lacks = (...names: string[]) => {
  const missing = names.filter((name) => onPath(name) === undefined);
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
};

const withShellcheck = needing(lacks('shellcheck'));
const withTools = needing(lacks('stress-ng', 'memtester', 'fio', 'setsid'));
const withSetsid = needing(lacks('setsid'));

const folderOf = (name: string) => new URL(`../../../../engine/hardware/${name}/scripts/`, import.meta.url);

withShellcheck.serial('shellcheck finds nothing in the scripts', (t) => {
  for (const name of ['burn-in', 'jobs']) {
    const files = readdirSync(folderOf(name)).map((file) => new URL(file, folderOf(name)).pathname);
    t.true(files.length > 0);
    const { stdout } = spawnSync('shellcheck', files, { encoding: 'utf8' });
    t.is(stdout, '');
  }
});

const drives = [{ name: 'sda', wwn: '5000c500000000aa', size: 4 * 1024 * 1024 }];

/** A machine with one drive, a file, and a processor of 71 °C. */
function scene(t: ExecutionContext) {
  const bay = new Bay(t, drives);
  const chip = join(bay.home, 'sys/class/hwmon/hwmon0');
  mkdirSync(chip, { recursive: true });
  writeFileSync(join(chip, 'name'), 'coretemp\n');
  const heat = (celsius: number) => writeFileSync(join(chip, 'temp1_input'), `${celsius}000\n`);
  heat(71);
  const sh = (command: string, more: Record<string, string> = {}) =>
    spawnSync('sh', ['-c', command], { env: { ...bay.env, ...more }, encoding: 'utf8', timeout: 100_000 });
  const look = (serials: string[] = []) => examinedMachine(sh(burnInLook(serials).command).stdout);
  const commandOf = (name: BurnInTest, more: Record<string, string> = {}) => {
    const { boot, drives: all } = look();
    const wanted = {
      boot_before: boot,
      seconds: '2',
      floor: '0',
      cpu_limit: '95',
      drive_limit: '70',
      share: '1',
      drives: all.map(({ devName }) => devName).join(' '),
      identities: all.map(({ devName, identity }) => `${devName}=${identity}`).join(' '),
      ...more,
    };
    return burnInCommand({ run: 'w', test: name, wanted }).command;
  };
  const run = (name: BurnInTest, more: Record<string, string> = {}) =>
    testResult(name, sh(commandOf(name, more)).stdout);
  return { bay, heat, sh, look, commandOf, run };
}

test('a look has the drives with what identifies them, and only those that are named', (t) => {
  const { look } = scene(t);
  const [drive] = look().drives;
  t.like(drive, { devName: 'sda', serial: 'S-5000c500000000aa', sizeBytes: 4 * 1024 * 1024, usedBy: '', health: null });
  t.is(look(['S-5000c500000000aa']).drives.length, 1);
  t.is(look(['S-5000c500000000a']).drives.length, 0);
  t.true(look().mib > 0 && look().cpus > 0 && look().boot !== '');
});

test("the look understands smartctl's texts of SATA, SAS and NVMe drives", (t) => {
  const { bay, look } = scene(t);
  const texts: [text: string, health: string, errors: object][] = [
    [
      `SMART overall-health self-assessment test result: PASSED
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       8
197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       2
198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       0`,
      'PASSED',
      { reallocated: 8, pending: 2, uncorrectable: 0 },
    ],
    ['SMART Health Status: OK\nElements in grown defect list: 3', 'OK', { reallocated: 3 }],
    [
      'SMART overall-health self-assessment test result: PASSED\nCritical Warning:                   0x04\nMedia and Data Integrity Errors:    1,024',
      'critical warning 0x04',
      { media: 1_024 },
    ],
  ];
  for (const [text, health, errors] of texts) {
    bay.program('smartctl', `cat <<'END'\n${text}\nEND\n`);
    t.like(look().drives[0], { health, errors });
  }
});

withTools.serial('the real tools pass here, and leave their figures; the drive is read, and keeps its content', (t) => {
  const { bay, look, run } = scene(t);
  const before = bay.read('sda');
  t.deepEqual(
    ['stress-ng', 'memtester', 'fio'].filter((name) => look().tools[name] === undefined),
    [],
  );
  const cpu = run('cpu');
  t.like(cpu, { verdict: 'passed', problems: [] });
  t.true(Number(cpu.figures.operationsPerSec) > 0, JSON.stringify(cpu));
  t.is(cpu.figures.cpuCelsius, 71);
  const memory = run('memory');
  t.like(memory, { verdict: 'passed', problems: [] }, JSON.stringify(memory));
  t.true(Number(memory.figures.mib) > 0 && Number(memory.figures.processes) > 0);
  const disk = run('disk');
  t.like(disk, { verdict: 'passed', problems: [] }, JSON.stringify(disk));
  t.true((disk.figures.drives as { sda: { mbPerSec: number } }).sda.mbPerSec > 0);
  t.deepEqual(bay.read('sda'), before);
  t.like(scene(t).run('disk', { floor: '99999999' }), { verdict: 'failed' });
});

withTools.serial('a write test writes on its drive and verifies it; another drive of that name is not touched', (t) => {
  const { bay, run } = scene(t);
  const before = bay.read('sda');
  const other = run('write', { identities: 'sda=ffff' });
  t.like(other, { verdict: 'unknown' }, JSON.stringify(other));
  t.regex(other.problems[0] ?? '', /sda is not the drive that was named any more; it was not touched/);
  t.deepEqual(bay.read('sda'), before);
  const fresh = scene(t);
  const written = fresh.run('write');
  t.like(written, { verdict: 'passed', problems: [] }, JSON.stringify(written));
  t.notDeepEqual(fresh.bay.read('sda'), before);
});

/** The look asks each tool for its version. */
const asked = 'case $1 in --version) exit ;; esac';
/** A tool that says this and then runs until it is stopped. */
const patient = (text = '') => `${asked}\n${text}\necho $$ >"$bay/tool"\nwhile :; do sleep 0.1; done\n`;

withSetsid.serial('a temperature beyond its limit stops the tool, and says what was found and expected', (t) => {
  const { bay, heat, run } = scene(t);
  bay.program('stress-ng', patient());
  heat(96);
  const result = run('cpu', { seconds: '100' });
  t.like(result, { verdict: 'failed', figures: { cpuCelsius: 96 } });
  t.deepEqual(result.problems, ['found 96 °C (processors) and unknown °C (drives); expected at most 95 and 70']);
  t.false(isRunning(Number(readFileSync(join(bay.home, 'tool'), 'utf8'))));
});

withSetsid.serial('a tool that does not end in its time is ended, and the test has failed', (t) => {
  const { bay, commandOf, sh } = scene(t);
  bay.program('stress-ng', patient("trap '' TERM"));
  const { stdout } = sh(commandOf('cpu', { seconds: '1' }), { NODEWRIGHT_GRACE: '1' });
  const result = testResult('cpu', stdout);
  t.is(result.verdict, 'failed', stdout);
  t.regex(result.problems.join(), /found its tool still running after its time; expected its end/);
  t.false(isRunning(Number(readFileSync(join(bay.home, 'tool'), 'utf8'))));
});

withSetsid.serial('errors of memtester fail the test, also if it found them just before its end', (t) => {
  const { bay, run } = scene(t);
  bay.program('memtester', patient("echo 'Loop 1:'\necho 'FAILURE: 0x1 != 0x3 at offset 0x10.' >&2"));
  const result = run('memory', { seconds: '1' });
  t.is(result.verdict, 'failed', JSON.stringify(result));
  t.regex(
    result.problems[0] ?? '',
    /^found [1-9]\d* errors in \d+ MiB: FAILURE: 0x1 != 0x3 at offset 0x10\.; expected none$/,
  );
});

withSetsid.serial('a memtester that cannot lock its memory says nothing about the memory', (t) => {
  const { bay, run } = scene(t);
  bay.program('memtester', "echo 'memtester version 4.6.0'\necho 'failed to mlock' >&2\nexit 1\n");
  const result = run('memory');
  t.is(result.verdict, 'unknown', JSON.stringify(result));
  t.regex(result.problems[0] ?? '', /memtester ended early: failed to mlock/);
});

withSetsid.serial(
  'the peer of iperf3 that refuses is an obstacle, and its throughput in both ways is a figure',
  (t) => {
    const { bay, run } = scene(t);
    bay.program('iperf3', `echo '{ "error":\t"unable to connect to server: Connection refused" }'\nexit 1\n`);
    const refused = run('network', { peer: '127.0.0.1', port: '1', streams: '1' });
    t.like(refused, { verdict: 'unknown' });
    t.deepEqual(refused.problems, ['iperf3 (send) ended with 1: unable to connect to server: Connection refused']);
    const good = scene(t);
    const json =
      '{\n\t"end":\t{\n\t\t"sum_sent":\t{\n\t\t\t"bits_per_second":\t9500000000.5\n\t\t},\n\t\t"sum_received":\t{\n\t\t\t"bits_per_second":\t9.4e+09\n\t\t}\n\t}\n}';
    good.bay.program('iperf3', `cat <<'END'\n${json}\nEND\n`);
    const wanted = { peer: '127.0.0.1', port: '1', streams: '1', floor: '9401' };
    const slow = good.run('network', wanted);
    t.like(slow, {
      verdict: 'failed',
      minimum: 9_401,
      figures: { peer: '127.0.0.1', sendMbps: 9_400, receiveMbps: 9_400 },
    });
    t.regex(slow.problems[0] ?? '', /found 9400 Mbit\/s \(send\); expected at least 9401/);
  },
);

withSetsid.serial('a machine that restarted has lost its test, which is not begun again', (t) => {
  const { bay, commandOf, sh } = scene(t);
  bay.program('stress-ng', `${asked}\necho run >>"$bay/ledger"\n`);
  const command = commandOf('cpu');
  bay.power();
  const result = testResult('cpu', sh(command).stdout);
  t.is(result.verdict, 'failed');
  t.regex(result.problems.join(), /found that the machine had restarted; expected it to run/);
  t.deepEqual(bay.lines(), []);
});

withSetsid.serial('a test is begun once by any number of agents, and its report is collected', async (t) => {
  const { bay, commandOf, sh } = scene(t);
  bay.program('stress-ng', `${asked}\necho run >>"$bay/ledger"\nsleep 0.3\n`);
  const command = commandOf('cpu');
  const all = [1, 2, 3].map(() => spawn('sh', ['-c', command], { env: bay.env, stdio: 'ignore' }));
  await Promise.all(all.map((one) => once(one, 'exit')));
  t.is(sh(command).status, 0);
  t.deepEqual(bay.lines(), ['run']);
  const { stdout } = sh(burnInCollect('w', ['cpu', 'memory'], []).command);
  const reports = reportsIn(stdout);
  t.regex(reports.get('cpu') ?? '', /^started /);
  t.is(reports.get('memory'), 'state absent\n');
});

const stopping = async (t: ExecutionContext, name: BurnInTest, begun: (bay: Bay) => boolean) => {
  const { bay, commandOf } = scene(t);
  const cancelled = join(bay.home, 'cancelled');
  const command = commandOf(name, { seconds: '600' });
  const watched = spawn('sh', ['-c', command], {
    env: { ...bay.env, NODEWRIGHT_CANCELLED: cancelled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  watched.stdout.on('data', (part) => {
    said += part;
  });
  while (!begun(bay)) await pause(50);
  const pids = readFileSync(join(bay.home, `jobs/w-${name}/tools`), 'utf8')
    .trim()
    .split('\n')
    .map(Number);
  t.true(pids.length > 0 && pids.every((pid) => pid > 0), JSON.stringify(pids));
  const family = pids.flatMap((pid) => [pid, ...childrenOf(pid)]);
  bay.mark('cancelled');
  await once(watched, 'close');
  while (family.some(isRunning)) await pause(50);
  return { said, family };
};

const childrenOf = (pid: number): number[] => {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
};

for (const name of ['cpu', 'memory', 'disk'] as const) {
  withTools.serial(`a cancel ends the tools of the test of ${name}, and their processes`, async (t) => {
    const begun = ({ home }: Bay) => {
      const file = join(home, `jobs/w-${name}/tools`);
      const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
      return pids.length > 0 && (name !== 'cpu' || childrenOf(pids[0] ?? 0).length > 0);
    };
    const { said } = await stopping(t, name, begun);
    t.is(said, 'The test was stopped.\n');
  });
}
