/** The scripts that nodes get: POSIX, and safe against any name of a drive. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { factsOf } from '../../../engine/hardware/erase/facts.ts';
import {
  beginCommand,
  type Job,
  jobScript,
  lookCommand,
  watchCommand,
} from '../../../engine/hardware/erase/job-commands.ts';
import { argumentOf, type ToolName, toolNames } from '../../../engine/hardware/erase/tools.ts';
import { needing } from '../../support/ava/needs.ts';
import { onPath } from '../../support/ava/on-path.ts';
import { Bay } from '../../support/bmcs/bay.ts';

const job = (devName: string, tool: ToolName): Job => ({
  devName,
  tool,
  arg: argumentOf(tool, undefined) ?? '',
  size: 10_000_000,
  identity: 'abc',
  minutes: 3,
});
const jobs = toolNames.map((tool, at) => job(`sd${at}`, tool));

const withShellcheck = needing(onPath('shellcheck') === undefined ? 'shellcheck is not installed' : undefined);

withShellcheck.serial('shellcheck finds nothing in the files of the scripts', (t) => {
  const folder = new URL('../../../engine/hardware/erase/scripts/', import.meta.url);
  const files = readdirSync(folder).map((name) => new URL(name, folder).pathname);
  t.true(files.length > 0 && files.every((file) => file.endsWith('.sh')));
  t.notThrows(() => execFileSync('shellcheck', files));
});

withShellcheck.serial('shellcheck finds nothing in the scripts that nodes run', (t) => {
  const scripts = {
    look: lookCommand(jobs).command,
    begin: beginCommand('run', 'boot', jobs).command,
    watch: watchCommand('run', 'boot', jobs).command,
    job: jobScript,
  };
  for (const [name, input] of Object.entries(scripts)) {
    // One script is embedded in another as a text, and their shared functions are more than each needs.
    const args = ['-s', 'sh', '-e', 'SC2016,SC2034', '-'];
    t.notThrows(() => execFileSync('shellcheck', args, { input }), name);
  }
});

test('any text in a word stays one word of the shell', (t) => {
  const wild = job("a'; touch /tmp/x; '", 'scrub');
  for (const { command } of [
    lookCommand([wild]),
    beginCommand('run', 'boot', [wild]),
    watchCommand('run', 'b', [wild]),
  ]) {
    t.true(command.includes("'a'\\''; touch /tmp/x; '\\'''"));
  }
});

test('scripts that begin or check a job may be delivered again; scripts that watch one are notified of a cancel', (t) => {
  t.true(
    [lookCommand(jobs), beginCommand('r', 'b', jobs), watchCommand('r', 'b', jobs)].every((one) => one.repeatable),
  );
  t.deepEqual(
    [lookCommand(jobs), beginCommand('r', 'b', jobs), watchCommand('r', 'b', jobs)].map((one) => one.cancellable),
    [undefined, true, true],
  );
});

const real = needing(['scrub', 'setsid'].every(onPath) ? undefined : 'scrub or setsid is not installed');

/** The drive as the bay reports it, in the current boot. */
function seen(bay: Bay): { boot: string; jobs: Job[] } {
  const { command } = lookCommand([{ devName: 'sda', tool: 'scrub' }]);
  const { stdout } = spawnSync('sh', ['-c', command], { env: bay.env, encoding: 'utf8' });
  const facts = factsOf(stdout);
  const { size, identity = '' } = facts.get('sda') ?? {};
  const drive: Job = { devName: 'sda', tool: 'scrub', arg: 'fillff', size: Number(size), identity, minutes: 0 };
  return { boot: facts.get('')?.boot ?? '', jobs: [drive] };
}

const run = (bay: Bay, command: string, more: Record<string, string> = {}) =>
  spawnSync('sh', ['-c', command], { env: { ...bay.env, ...more }, encoding: 'utf8' });

real.serial('two concurrent begins, and one more after the end, begin a job once', async (t) => {
  const bay = new Bay(t, [{ name: 'sda', wwn: '5000c500000000aa' }]);
  bay.counted('scrub');
  const { boot, jobs: own } = seen(bay);
  const { command } = beginCommand('run', boot, own);
  const sh = promisify(execFile);
  const both = await Promise.all([1, 2].map(() => sh('sh', ['-c', command], { env: bay.env, timeout: 100_000 })));
  for (const { stdout } of both)
    t.like(factsOf(stdout).get('0'), { state: 'ended', exit: '0', verdict: '64 64 0 0 0' });
  t.is(run(bay, command).status, 0);
  t.is(bay.lines().length, 1);
});

real.serial('a job without a written pid is reported as running, until its exit is written', async (t) => {
  const bay = new Bay(t, [{ name: 'sda', wwn: '5000c500000000aa' }]);
  const { boot, jobs: own } = seen(bay);
  const place = join(bay.home, 'jobs', 'run-0');
  const progress = join(bay.home, 'progress');
  mkdirSync(place, { recursive: true });
  for (const file of [join(place, 'pid'), progress]) writeFileSync(file, '');
  const { command } = watchCommand('run', boot, own);
  const env = { ...bay.env, NODEWRIGHT_PROGRESS: progress, NODEWRIGHT_POLL: '1' };
  const watched = promisify(execFile)('sh', ['-c', command], { env, timeout: 60_000 });
  const changes = watch(progress);
  t.teardown(() => changes.close());
  while (!readFileSync(progress, 'utf8').includes(' drives are done')) {
    await Promise.race([once(changes, 'change'), watched]);
  }
  t.regex(readFileSync(progress, 'utf8'), /0 of 1 drives are done/);
  writeFileSync(join(place, 'exit'), '0\n');
  t.like(factsOf((await watched).stdout).get('0'), { state: 'ended', exit: '0' });
});

real.serial('a job that is cancelled before its pid is written touches no drive', (t) => {
  const bay = new Bay(t, [{ name: 'sda', wwn: '5000c500000000aa' }]);
  bay.counted('scrub');
  const { boot, jobs: own } = seen(bay);
  const place = join(bay.home, 'jobs', 'run-0');
  mkdirSync(place, { recursive: true });
  bay.mark('cancelled');
  const env = { NODEWRIGHT_CANCELLED: join(bay.home, 'cancelled') };
  t.is(run(bay, watchCommand('run', boot, own).command, env).stdout, 'sda: scrub had not started.\n');
  const { status } = spawnSync('sh', ['-c', jobScript, 'job', place, bay.drive('sda'), 'scrub', 'fillff', '0', 'ff'], {
    env: bay.env,
  });
  t.is(status, 0);
  t.is(readFileSync(join(place, 'exit'), 'utf8'), '137\n');
  t.false(existsSync(join(bay.home, 'ledger')));
});

real.serial('no job begins after a cancel, in another boot, or on another drive', (t) => {
  const bay = new Bay(t, [
    { name: 'sda', wwn: '5000c500000000aa' },
    { name: 'sdb', wwn: '5000c500000000bb' },
  ]);
  bay.counted('scrub');
  const { boot, jobs: own } = seen(bay);
  const { command } = beginCommand('run', boot, own);
  bay.mark('cancelled');
  const rejected = (reason: RegExp) => {
    const { status, stderr } = run(bay, command);
    t.is(status, 3);
    t.regex(stderr, reason);
  };
  t.is(run(bay, command, { NODEWRIGHT_CANCELLED: join(bay.home, 'cancelled') }).status, 0);
  bay.swap('sda', 'sdb');
  rejected(/sda is no longer the drive/);
  bay.swap('sda', 'sdb');
  bay.power();
  rejected(/the node was rebooted/);
  t.deepEqual(readdirSync(join(bay.home, 'jobs')), []);
  t.false(existsSync(join(bay.home, 'ledger')));
});
