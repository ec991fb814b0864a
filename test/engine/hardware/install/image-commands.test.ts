/** The command that writes an image: its values reach the job unchanged, whatever characters they have; the job starts once. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type FirstBootOptions, firstBootFiles } from '../../../../engine/hardware/install/first-boot.ts';
import { type ImageWrite, imageFacts, writeImageCommand } from '../../../../engine/hardware/install/image-commands.ts';
import { jobText } from '../../../../engine/hardware/jobs/job-command.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';
import { isRunning, killIfThere } from '../../../support/faults/child.ts';
import { seen } from '../../../support/faults/workload.ts';

const run = promisify(execFile);
const checking = needing(onPath('shellcheck') === undefined ? 'shellcheck is not installed' : undefined);

const write: ImageWrite = {
  run: 'w-1',
  devName: 'sda',
  wwid: 'naa.5',
  url: 'http://127.0.0.1/image',
  sha256: 'a'.repeat(64),
  format: 'raw',
  grow: true,
  seed: { 'user-data': '#cloud-config\n{"a":"$(reboot) `x` \'"}' },
};

checking.serial('shellcheck finds nothing in the scripts that write an image', (t) => {
  const scripts = new URL('../../../../engine/hardware/install/scripts/', import.meta.url);
  const files = readdirSync(scripts).map((name) => new URL(name, scripts).pathname);
  t.true(files.length > 0);
  t.notThrows(() => execFileSync('shellcheck', ['-s', 'sh', ...files]));
});

/** Reports its parameters. */
const reportingJob = [
  'echo $$ >"$1/pid"',
  '. "$1/wanted"',
  'echo begun >>"$1/../begun"',
  'printf "%s\\n" "$name" "$wwid" "$url" "$sum" "$format" "$grow" >"$1/said"',
  'printf "code OK\\nlength 7\\n" >"$1/exit.new"',
  'mv "$1/exit.new" "$1/exit"',
];

/** Runs the command with this job. */
function runCommand(t: ExecutionContext, given: ImageWrite, job = reportingJob) {
  const home = folder(t);
  mkdirSync(join(home, 'jobs'), { recursive: true });
  // Instead of the real job, behind it: the last value applies.
  const { command } = writeImageCommand(given);
  const script = join(home, 'command');
  writeFileSync(
    script,
    command.replace(/\nwanted='/, () => `\njob='${job.join('\n')}'\nwanted='`),
  );
  const env = { ...process.env, NODEWRIGHT_JOBS: join(home, 'jobs'), NODEWRIGHT_POLL: '0.05' };
  return { home, env, script, at: (name: string) => readFileSync(join(home, 'jobs', name), 'utf8') };
}

test('values of any characters reach the job unchanged, and so do the data of the first boot', async (t) => {
  const line = fc.string({ unit: fc.constantFrom(...'\'"`$\\;&|<>(){}#%=!*?~ a-é') });
  await fc.assert(
    fc.asyncProperty(line, line, async (url, text) => {
      const seed = { 'user-data': `#cloud-config\n${JSON.stringify({ text })}` };
      const { script, env, at } = runCommand(t, { ...write, url, wwid: text, seed });
      const { stdout } = await run('sh', [script], { env });
      t.deepEqual(imageFacts(stdout), { code: 'OK', length: '7' });
      t.is(at('w-1/said'), ['sda', text, url, write.sha256, 'raw', 'yes', ''].join('\n'));
      t.is(at('w-1/seed/user-data'), `${seed['user-data']}\n`);
    }),
    { numRuns: 20 },
  );
});

test('of many agents that get the command at the same time, one starts the job, and all report its end', async (t) => {
  const { script, env, at } = runCommand(t, write);
  const all = await Promise.all(Array.from({ length: 8 }, () => run('sh', [script], { env })));
  t.true(all.every(({ stdout }) => imageFacts(stdout).code === 'OK'));
  t.is(at('begun'), 'begun\n');
});

test('a job that died without a report leaves a disk of unknown contents', async (t) => {
  const { script, env } = runCommand(t, write, ['echo $$ >"$1/pid"']);
  const { stdout } = await run('sh', [script], { env: { ...env, NODEWRIGHT_SILENT: '0' } });
  t.like(imageFacts(stdout), { code: 'DRIVE_STATE_UNKNOWN', message: 'the process that wrote the image has died' });
});

test('a command that was cancelled before it began starts no job', (t) => {
  const { script, env, home } = runCommand(t, write);
  const cancelled = join(home, 'cancelled');
  writeFileSync(cancelled, '');
  const { stdout } = spawnSync('sh', [script], { env: { ...env, NODEWRIGHT_CANCELLED: cancelled }, encoding: 'utf8' });
  t.is(stdout, 'The write had not begun; the disk is unchanged.\n');
  t.deepEqual(readdirSync(join(home, 'jobs')), []);
});

test('a command whose time is over says by its exit code that the job is running; as cancelled it stops the job', async (t) => {
  const job = ['echo $$ >"$1/pid.new"', ': >"$1/writing"', 'mv "$1/pid.new" "$1/pid"', 'sleep 1000'];
  const { script, env, home, at } = runCommand(t, write, job);
  writeFileSync(script, readFileSync(script, 'utf8').replace('limit=600', 'limit=0'));
  const over = spawnSync('sh', [script], { env, encoding: 'utf8' });
  t.is(over.stdout, 'running yes\n');
  t.is(over.status, writeImageCommand(write).runningCode ?? null);
  await seen(async () => existsSync(join(home, 'jobs/w-1/pid')));
  const pid = Number(at('w-1/pid'));
  t.teardown(() => killIfThere(pid));
  const cancelled = join(home, 'cancelled');
  writeFileSync(cancelled, '');
  const again = readFileSync(script, 'utf8').replace('limit=0', 'limit=600');
  const stopped = spawnSync('sh', ['-c', again], {
    env: { ...env, NODEWRIGHT_CANCELLED: cancelled },
    encoding: 'utf8',
  });
  t.is(stopped.stdout, 'The write was stopped; the disk has a part of the image and does not boot.\n');
  t.is(stopped.status, 0);
  await seen(async () => !isRunning(pid));
});

test('a job that is cancelled before its pid is written does nothing', (t) => {
  const place = folder(t);
  writeFileSync(join(place, 'cancelled'), '');
  const begin = () => spawnSync('sh', ['-c', jobText('echo begun'), 'sh', place], { encoding: 'utf8' });
  t.like(begin(), { status: 0, stdout: '' });
  t.deepEqual(readdirSync(place).sort(), ['cancelled', 'pid']);
  rmSync(join(place, 'cancelled'));
  t.is(begin().stdout, 'begun\n');
});

const options: FirstBootOptions = {
  hostname: 'node-1',
  domain: 'example',
  rootPassword: 'r00t-pa55',
  rootSshKey: 'ssh-rsa AAAA',
  users: [{ name: 'ann', password: 'annes-pa55' }, { name: 'bob' }],
  timezone: 'UTC',
  postInstallCommands: ['echo "it\'s" >/etc/motd'],
  callback: 'http://10.1.1.1/callback?nonce=n',
};

test('the data of the first boot have hashes instead of passwords, and the callback', async (t) => {
  const files = await firstBootFiles('w-1', options);
  t.notRegex(JSON.stringify(files), /pa55/);
  const { users, runcmd, fqdn } = JSON.parse((files['user-data'] as string).replace('#cloud-config\n', ''));
  t.is(fqdn, 'node-1.example');
  t.like(users[0], { name: 'root', lock_passwd: false, ssh_authorized_keys: ['ssh-rsa AAAA'] });
  t.regex(users[1].hashed_passwd, /^\$6\$/);
  t.like(users[2], { name: 'bob', lock_passwd: true });
  t.deepEqual(runcmd[0], ['sh', '-c', options.postInstallCommands[0]]);
  t.like(JSON.parse(files['meta-data'] as string), { 'instance-id': 'w-1', 'nodewright-callback': options.callback });
});

needing(onPath('cloud-init') === undefined ? 'cloud-init is not installed' : undefined).serial(
  'cloud-init accepts the data of the first boot',
  async (t) => {
    const path = join(folder(t), 'user-data');
    const { rootPassword: _, timezone: __, domain: ___, ...fewer } = options;
    for (const given of [options, { ...fewer, users: [] }]) {
      writeFileSync(path, (await firstBootFiles('w-1', given))['user-data'] as string);
      t.regex(
        execFileSync('cloud-init', ['schema', '--config-file', path], { encoding: 'utf8', stdio: 'pipe' }),
        /Valid/,
      );
    }
  },
);
