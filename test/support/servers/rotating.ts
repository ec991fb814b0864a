/** The command that replaces the keys of a daemon, run as its operator would. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { WAIT_MS } from '../ava/patience.ts';

/** @returns the output of `nodewright keys ...`. @param env names the configuration. @throws Error with its errors */
export async function runKeys(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<string> {
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
  const command = [packagePath('dist/nw.mjs'), 'keys', ...args];
  const options = { env: { ...own, ...env }, timeout: WAIT_MS };
  return (await promisify(execFile)(process.execPath, command, options)).stdout;
}
