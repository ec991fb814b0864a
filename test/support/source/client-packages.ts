/** The packages of the clients, made as a release makes them, and their programs. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { needing } from '../ava/needs.ts';
import { WAIT_MS } from '../ava/patience.ts';

/** @returns the path of a program of `api/clients/requirements.txt` */
export const tool = (name: string): string =>
  join(process.env.NODEWRIGHT_CLIENT_TOOLS ?? packagePath('node_modules/.cache/nodewright/clients'), 'bin', name);

/** Skips tests without the programs that make the clients. */
export const withTools = () =>
  needing(existsSync(tool('ansible-galaxy')) ? undefined : 'no programs of api/clients/requirements.txt', 'clients')
    .serial;

const start = promisify(execFile);

export interface Printed {
  stdout: string;
  stderr: string;
}

/** @throws Error with its output if it fails */
export async function runTool(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Printed> {
  return run(tool(name), args, env);
}

async function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Printed> {
  const options = { env: { ...process.env, ...env }, timeout: 2 * WAIT_MS, maxBuffer: 2 ** 26 };
  return start(file, args, options).catch((error: Error & Printed) => {
    throw new Error(`${error.message}\n${error.stdout.slice(-4_000)}\n${error.stderr.slice(-4_000)}`);
  });
}

/** Makes all packages in the folder. */
export const buildClients = (to: string): Promise<Printed> =>
  run(process.execPath, ['--import', 'tsx', packagePath('api/clients/build.mjs'), '--out', to]);

/** The variables for Ansible's programs, whose files are in the folder. */
const ansibleIn = (home: string) => ({
  PATH: `${tool('')}:${process.env.PATH}`,
  // They reject any other encoding.
  LC_ALL: 'C.UTF-8',
  ANSIBLE_HOME: join(home, 'ansible'),
  ANSIBLE_COLLECTIONS_PATH: join(home, 'ansible/collections'),
  ANSIBLE_LOCALHOST_WARNING: 'False',
  ANSIBLE_NOCOLOR: 'True',
});

export const WHEEL = 'nodewright_client-0.1.0-py3-none-any.whl';
export const COLLECTION = 'nodewright-nodewright-0.1.0.tar.gz';

export interface InstalledClients {
  /** The folder of the packages. */
  home: string;
  /** Variables with which `python` finds the client. */
  python: { PYTHONPATH: string };
  /** Variables with which Ansible's programs find the collection. */
  ansible: ReturnType<typeof ansibleIn>;
}

/** Makes the packages in the folder, and installs them there. */
export async function installClients(home: string): Promise<InstalledClients> {
  await buildClients(home);
  const python = { PYTHONPATH: join(home, 'packages') };
  const target = ['--no-index', '--no-deps', '--target', python.PYTHONPATH];
  await runTool('pip', ['install', '-q', ...target, join(home, WHEEL)]);
  const ansible = ansibleIn(home);
  await runTool('ansible-galaxy', ['collection', 'install', join(home, COLLECTION)], ansible);
  return { home, python, ansible };
}
