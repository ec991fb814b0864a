/** The real agent as a separate process, as it would run on a node. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import { onPath } from '../ava/on-path.ts';
import type { Scope } from '../ava/scope.ts';
import { killIfThere } from '../faults/child.ts';

export interface Agent {
  /** Lines from stderr. */
  readonly said: string[];
  /** Kills it with its commands, like a power failure. */
  kill(): Promise<void>;
  /** Resolves with its exit code when it ends by itself. */
  ended(): Promise<number | null>;
}

const bins = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Returns a PATH without these programs. */
export function pathWithout(t: Scope, ...names: string[]): string {
  const path = join(folder(t), 'bin');
  mkdirSync(path);
  for (const bin of bins.filter((each) => existsSync(each))) {
    for (const name of readdirSync(bin)) {
      if (!names.includes(name) && !existsSync(join(path, name))) symlinkSync(join(bin, name), join(path, name));
    }
  }
  return path;
}

/** Returns a PATH with BusyBox only, as in many microkernels. */
export function busyboxPath(t: Scope): string {
  const path = join(folder(t), 'bin');
  mkdirSync(path);
  const names = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const name of names) symlinkSync(onPath('busybox') as string, join(path, name));
  return path;
}

interface Options {
  /** The program that fetches the script. */
  fetch?: 'curl' | 'wget';
  /** File with the endpoint's certificate; the agent then uses https. */
  ca?: string;
  /** The key from the boot of its node. */
  key?: string;
  env?: Record<string, string>;
}

/** Killed when the test ends. @param port of the southbound endpoint */
export function startAgent(
  t: Scope,
  port: number,
  node: string,
  { fetch = 'curl', ca, key, env = {} }: Options = {},
): Agent {
  const url = `${ca === undefined ? 'http' : 'https'}://127.0.0.1:${port}/api/current/tasks/bootstrap.sh?nodeId=${node}`;
  const trusting = (option: string) => (ca === undefined ? '' : `${option} '${ca}'`);
  const keyed = (option: string) => (key === undefined ? '' : `${option} 'x-nodewright-key: ${key}'`);
  const get = {
    curl: `curl -s ${trusting('--cacert')} ${keyed('-H')} '${url}'`,
    wget: `wget -q -O - ${trusting('--ca-certificate')} ${keyed('--header')} '${url}'`,
  }[fetch];
  return startScript(t, `${get} | sh`, env);
}

/** Runs a script that fetches and runs an agent. Killed when the test ends. */
export function startScript(t: Scope, script: string, env: Record<string, string> = {}): Agent {
  const child = spawn('sh', ['-c', script], {
    // A process group of its own, so that its commands are killed with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', NODEWRIGHT_PAUSE: '0.2', TMPDIR: folder(t), ...env },
  });
  const exited = once(child, 'exit');
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const kill = async () => {
    if (child.pid !== undefined) killIfThere(-child.pid);
    await exited;
  };
  t.teardown(kill);
  return { said, kill, ended: async () => (await exited)[0] as number | null };
}
