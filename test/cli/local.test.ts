/** Commands on the machine of a daemon, without a token: while it runs, and while it is stopped. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { passwordSocketIn } from '../../engine/operations/users/password-socket.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { commandLine } from '../support/console/command-line.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';

const nw = (env: NodeJS.ProcessEnv, args: readonly string[], input = '') =>
  spawnSync(process.execPath, [packagePath('dist/nw.mjs'), ...args], { env, input, encoding: 'utf8' });

const logIn = (env: NodeJS.ProcessEnv, daemon: DaemonProcess, name: string, password: string) => {
  const url = new URL(daemon.authorized('').url).origin;
  return nw({ ...env, NW_URL: url }, ['login', '-u', name, '--password-stdin'], `${password}\n`);
};

test('a lost password is set while the daemon runs and while it is stopped, tokens end, and the audit log has it', async (t) => {
  const daemon = await startDaemonProcess(t, { users: 'new' });
  const env = { ...commandLine(t, daemon).env, NODEWRIGHT_CONFIG: daemon.file, NW_TOKEN: '', NW_URL: '' };
  const set = (name: string, password: string, ...more: string[]) =>
    nw(env, ['user', 'password', name, '--password-stdin', ...more], `${password}\n`);
  const [, name = ''] = /found no user nobody; expected one of (\w+)/.exec(set('nobody', 'other-horse').stderr) ?? [];
  t.is(set(name, 'short').status, 2);

  t.is((await daemon.api('GET', '/nodes')).status, 200);
  const running = set(name, 'another-horse');
  t.is(running.status, 0, running.stderr);
  t.is((await daemon.api('GET', '/nodes')).status, 401, 'its tokens have ended');
  t.is(logIn(env, daemon, name, 'another-horse').status, 0);

  const socket = passwordSocketIn(join(dirname(daemon.file), 'data'));
  t.is(statSync(socket).mode & 0o777, 0o600);
  await daemon.kill('SIGTERM');
  t.false(existsSync(socket));
  const stopped = set(name, 'third-horse', '--local');
  t.is(stopped.status, 0, stopped.stderr);
  const entries = nw(env, ['audit', 'export']).stdout.trim().split('\n');
  const made = entries.filter((line) => {
    const { path, target, status } = JSON.parse(line);
    return path === 'nodewright user password' && target === `users/${name}` && status === 200;
  });
  t.is(made.length, 2);

  await daemon.start();
  await daemon.kill('SIGKILL');
  const killed = set(name, 'fourth-horse', '--offline');
  t.is(killed.status, 0, `it left its socket: ${killed.stderr}`);
  await daemon.start();
  t.is(logIn(env, daemon, name, 'third-horse').status, 1);
  t.is(logIn(env, daemon, name, 'fourth-horse').status, 0);
});

test('keys are listed while the daemon runs, and none is made for that', async (t) => {
  const daemon = await startDaemonProcess(t);
  const env = { ...commandLine(t, daemon).env, NODEWRIGHT_CONFIG: daemon.file };
  const running = nw(env, ['keys', 'list']);
  t.is(running.status, 0, running.stderr);
  t.regex(running.stdout, /auth-token: uses [0-9a-f]{12} \(login tokens\)/);
  await daemon.kill('SIGTERM');
  t.is(nw(env, ['keys', 'list']).stdout, running.stdout);
});
