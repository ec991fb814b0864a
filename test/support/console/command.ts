/** The command `nodewright`, as a process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

const program = packagePath('dist/nw.mjs');
const MAX_OUTPUT = 2 ** 28;

/** Without the services of the test itself. */
function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
  return { ...own, ...env };
}

export interface CommandResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

export const runCommand = (env: NodeJS.ProcessEnv, ...args: string[]): CommandResult =>
  spawnSync(process.execPath, [program, ...args], { env: environment(env), encoding: 'utf8', maxBuffer: MAX_OUTPUT });

export const startCommand = (env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [program, ...args], { env: environment(env), stdio: 'ignore' });
