/** The package as `npm pack` makes it, in a folder of a user who has installed it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

export interface Packed {
  /** The tar archive. */
  file: string;
  /** Paths of its files. */
  paths: string[];
}

/** Packs as `npm pack` does. */
export function packProject(t: Scope): Packed {
  const to = folder(t);
  const args = ['pack', '--json', '--pack-destination', to];
  // The output of `prepack` comes first.
  const printed = execFileSync('npm', args, {
    cwd: packagePath('.'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const begin = [...printed.matchAll(/^[[{]$/gm)].at(-1)?.index ?? 0;
  const described: unknown = JSON.parse(printed.slice(begin));
  const [made] = (Array.isArray(described) ? described : Object.values(described as object)) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (made === undefined) throw new Error(`found no description of the package in: ${printed.slice(0, 500)}`);
  return { file: join(to, made.filename), paths: made.files.map(({ path }) => path) };
}

/**
 * Makes a folder in which the package is installed with its dependencies.
 * @param more packages for development that the user has installed too
 * @returns the folder
 */
export const installPacked = (t: Scope, { file }: Pick<Packed, 'file'>, more: readonly string[] = []): string =>
  installed(t, file, [...dependencies(), ...more]);

/** The same for the authors' kit, with its dependencies only. */
export function installKit(t: Scope, file: string, more: readonly string[] = []): string {
  const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
  const { dependencies: own } = JSON.parse(text) as { dependencies: object };
  // esbuild is a program for each platform.
  return installed(t, file, [...Object.keys(own), '@esbuild', ...more]);
}

/** Without a registry: the packages are links to those of the project. */
function installed(t: Scope, file: string, names: readonly string[]): string {
  const home = folder(t);
  const packages = join(home, 'node_modules');
  const own = join(packages, 'nodewright');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', file, '--strip-components=1', '-C', own]);
  for (const name of names) {
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(packagePath(join('node_modules', name)), join(packages, name));
  }
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'site', private: true, type: 'module' }));
  return home;
}

/** The packages that an installation without those for development has, as npm has locked them. */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(packagePath('package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional, devOptional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const isThere = optional === undefined || existsSync(packagePath(path));
    return name === undefined || dev || devOptional || !isThere ? [] : [name];
  });
}
