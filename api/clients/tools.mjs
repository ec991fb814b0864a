/** The Python programs that make the clients, in a folder of their own. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of these programs; `NODEWRIGHT_CLIENT_TOOLS` names another one. */
const tools = process.env.NODEWRIGHT_CLIENT_TOOLS ?? join(root, 'node_modules/.cache/nodewright/clients');
const LIMIT_MS = 300_000;

/** @returns the path of one of these programs */
export const tool = (name) => join(tools, 'bin', name);

export const hasTools = () =>
  ['openapi-python-client', 'hatchling', 'ansible-galaxy'].every((one) => existsSync(tool(one)));

/** @throws Error that says how to install them */
export function requireTools() {
  if (hasTools()) return;
  throw new Error(
    `found no programs in ${tools}; run: python3 -m venv ${tools} && ${tool('pip')} install -r api/clients/requirements.txt`,
  );
}

/** @returns what it printed; what it says about errors goes to that of this process */
export const run = (name, args, { cwd, env = {} } = {}) =>
  execFileSync(tool(name), args, {
    cwd,
    env: { ...process.env, PATH: `${join(tools, 'bin')}:${process.env.PATH}`, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });

export const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** Seconds since 1970: the time of all files in the packages. */
export const epoch = () =>
  process.env.SOURCE_DATE_EPOCH ??
  execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
