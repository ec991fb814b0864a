/** The image, built by Buildah (`image.sh`), on a base that is made here, because no registry of images may be reached. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folderOf } from '../../versions.mjs';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

export const runProgram = promisify(execFile);
export const building = { cwd: packagePath('.'), timeout: 15 * 60_000, maxBuffer: 16 * 1024 * 1024 };

export const isThere = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const node = folderOf('24');
/** The npm that runs this test, or that of the system. */
const npm = [process.env.npm_execpath ?? '', '/usr/lib/node_modules/npm/bin/npm-cli.js']
  .filter((file) => file.endsWith('/npm-cli.js') && existsSync(file))
  .map((file) => dirname(dirname(file)))[0];

const isRoot = process.getuid?.() === 0;
const canBuild = isRoot && isThere('buildah', '--version') && isThere('debootstrap', '--version');

/** Undefined: it can be built. */
export const missingBuilder =
  canBuild && node !== undefined && npm !== undefined
    ? undefined
    : 'root, Buildah, debootstrap and Node.js 24 (node test/versions.mjs) are not all here';

export interface BuiltImage {
  User: string;
  Env: string[];
  Entrypoint: string[];
  WorkingDir: string;
  Healthcheck: { Test: string[] };
  /** Runs a command in it, as its user, with its variables, on a read-only root. @throws the error of its exit code */
  run(...command: string[]): Promise<{ stdout: string; stderr: string }>;
}

export async function builtImage(t: Scope): Promise<BuiltImage> {
  const store = folder(t);
  const image = (...args: string[]) =>
    runProgram(packagePath('test/support/source/image.sh'), [store, ...args], building);
  await image('base', join(node as string, 'node'), npm as string);
  await image('build');
  const { Docker } = JSON.parse((await image('inspect')).stdout) as { Docker: { config: Omit<BuiltImage, 'run'> } };
  const { User, Env, WorkingDir } = Docker.config;
  const [user = ''] = User.split(':');
  const run = (...command: string[]) => image('enter', user, 'env', '-i', '-C', WorkingDir, ...Env, ...command);
  return { ...Docker.config, run };
}
