/** The command `nw` as a person or a script runs it, against a daemon: in a pipe, or on a terminal by `tmux.ts`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import type { DaemonProcess } from '../servers/daemon.ts';
import { Hearing } from '../servers/hearing.ts';
import type { CommandResult } from './command.ts';

const commandFile = packagePath('dist/nw.mjs');

export interface Piped {
  readonly stdout: Hearing<string>;
  readonly stderr: Hearing<string>;
  readonly ended: Promise<CommandResult>;
  signal(signal: NodeJS.Signals): void;
}

export interface CommandLine {
  readonly env: NodeJS.ProcessEnv;
  /** Command for a shell. */
  readonly command: string;
  /** Runs it without a terminal. */
  run(...args: string[]): Promise<CommandResult>;
  /** Starts it without a terminal; the chunks of its output are heard as they come. */
  start(...args: string[]): Piped;
}

/** @param more variables of its environment, such as NW_URL instead of that of the daemon */
export function commandLine(t: Scope, daemon: DaemonProcess, more: NodeJS.ProcessEnv = {}): CommandLine {
  const { url: own, headers } = daemon.authorized('');
  const env = {
    ...process.env,
    NW_URL: new URL(own).origin,
    NW_TOKEN: headers.authorization?.replace('JWT ', ''),
    NW_CONTEXTS: join(folder(t), 'contexts.json'),
    ...more,
  };
  const start = (...args: string[]): Piped => {
    const child = spawn(process.execPath, [commandFile, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    t.teardown(() => child.kill('SIGKILL'));
    const [stdout, stderr] = [heard(child.stdout), heard(child.stderr)];
    const ended = endOf(child, stdout, stderr);
    return { stdout, stderr, ended, signal: (signal) => void child.kill(signal) };
  };
  const command = `${process.execPath} ${commandFile}`;
  return { env, command, start, run: (...args) => start(...args).ended };
}

/** That of another user, who is created with a role. */
export async function commandLineOf(
  t: Scope,
  daemon: DaemonProcess,
  username: string,
  role: string,
): Promise<CommandLine> {
  const password = 'a password of the test';
  await daemon.api('POST', '/users', { username, password, role });
  const answer = await fetch(new URL('/login', daemon.authorized('').url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { token } = (await answer.json()) as { token: string };
  return commandLine(t, daemon, { NW_TOKEN: token });
}

function heard(stream: NodeJS.ReadableStream): Hearing<string> {
  const hearing = new Hearing<string>();
  stream.setEncoding('utf8').on('data', (text: string) => hearing.add(text));
  return hearing;
}

async function endOf(child: ChildProcess, stdout: Hearing<string>, stderr: Hearing<string>): Promise<CommandResult> {
  const [status] = await once(child, 'close');
  return { status, stdout: stdout.all.join(''), stderr: stderr.all.join('') };
}
