/** The command that replaces the keys of a daemon, run as its operator would. */
import { execFileSync } from 'node:child_process';
import { packagePath, packageRoot } from '../../engine/define/package-path.ts';

const LIMIT_MS = 60_000;

/** @returns the output of `npm run keys -- ...`. @param env names the configuration. @throws Error with its errors */
export function runKeys(env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
  return execFileSync(process.execPath, ['--import=tsx', packagePath('api/key-command.ts'), ...args], {
    cwd: packageRoot,
    env: { ...own, ...env },
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
}
