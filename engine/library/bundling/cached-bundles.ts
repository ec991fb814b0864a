/**
 * Bundles of definition files, cached for the next start, which then does not start esbuild.
 *
 * Owns the folder `bundles` next to the texts, with one file for each definition file. The build of the daemon has
 * another one, of the included definitions (`prebuild.ts`), which is only read. Their modules are in `built-modules.ts`.
 *
 * 1. A cached bundle is used only by the build of the engine that made it, and while all files that it was made from are
 *    at the same places with the same content. Their modules are named in full, so that no other file can take their
 *    place, and no link leads to them.
 * 2. A file that is damaged, that belongs to another user or that others may write is ignored.
 * 3. Files are replaced atomically. A lost one costs only time.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../../vocabulary/package-path.ts';
import { sha256 } from '../options/hash.ts';
import { builtModule } from './built-modules.ts';
import type { Bundle } from './bundle.ts';

interface CachedBundle {
  build: string;
  /** Paths are relative to the package, because texts contain such paths. */
  file: string;
  inputs: [path: string, digest: string][];
  /** The number of inputs that are files of the bundle. Others are package.json files that may affect it. */
  files: number;
  hash: string;
  text: string;
}

/** ms; a file that changed so shortly before a build may have been read before the change. */
const SETTLED_MS = 100;
const OTHERS_MAY_WRITE = 0o022;

const bundlesIn = (folder: string): string => join(folder, 'bundles');

/** Returns the cached definition files, by the hash of their texts. */
export function cachedFilesIn(folder: string): Record<string, string> {
  const bundles = bundlesIn(folder);
  const entries = readdirSync(bundles).map((name) => {
    const { hash, file } = JSON.parse(readFileSync(join(bundles, name), 'utf8')) as CachedBundle;
    return [hash, resolve(packageRoot, file)];
  });
  return Object.fromEntries(entries);
}

export class CachedBundles {
  readonly #folder: string;
  readonly #built: string;
  readonly #build: string;
  /** By path, as of the last `refresh`, or of the time in it. */
  readonly #digests = new Map<string, { digest: string | undefined; ctimeMs: number }>();
  readonly #names = new Set<string>();

  /**
   * @param cacheDir folder above the texts
   * @param built folder that comes with the build
   */
  constructor(cacheDir: string, built: string, build: string) {
    this.#folder = bundlesIn(cacheDir);
    this.#built = built;
    this.#build = build;
  }

  /** Must be called before files are looked at again. */
  refresh(): void {
    this.#digests.clear();
  }

  find(file: string): Bundle | undefined {
    const name = nameOf(file);
    this.#names.add(name);
    return this.#read(join(this.#folder, name), file, true) ?? this.#readBuilt(name, file);
  }

  #readBuilt(name: string, file: string): Bundle | undefined {
    const bundle = this.#read(join(bundlesIn(this.#built), name), file, false);
    return bundle && { ...bundle, built: () => builtModule(this.#built, bundle.hash) };
  }

  #read(path: string, file: string, isOwn: boolean): Bundle | undefined {
    const text = textIn(path, isOwn);
    if (text === undefined) return undefined;
    try {
      return this.#usableBundle(JSON.parse(text) as CachedBundle, file);
    } catch {
      return undefined;
    }
  }

  #usableBundle({ build, file: from, inputs, files, hash, text }: CachedBundle, file: string): Bundle | undefined {
    if (build !== this.#build || resolve(packageRoot, from) !== file || sha256(text) !== hash) return undefined;
    const paths = inputs.map(([path]) => resolve(packageRoot, path));
    const isCurrent = inputs.every(([, digest], at) => this.#digest(paths[at] as string) === digest);
    if (!isCurrent || paths[0] !== realpathSync.native(file)) return undefined;
    return { text, hash, inputs: paths.slice(0, files), map: '' };
  }

  /** Keeps the bundle, unless a file may have changed since it was read. */
  async keep(file: string, { text, hash, inputs, since }: Bundle): Promise<void> {
    if (since === undefined) return;
    const paths = [...inputs, ...descriptionsOf(inputs)];
    const digests = paths.map((path) => this.#settledDigest(path, since - SETTLED_MS));
    if (digests.includes(undefined) || digests.slice(0, inputs.length).includes(ABSENT)) return;
    const cached: CachedBundle = {
      build: this.#build,
      file: relative(packageRoot, file),
      inputs: paths.map((path, at) => [relative(packageRoot, path), digests[at] as string]),
      files: inputs.length,
      hash,
      text,
    };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, nameOf(file));
    await writeFile(`${path}.new`, JSON.stringify(cached), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Removes the bundles of files that were not looked for. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!this.#names.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Returns the hash of the file's content; undefined if a link leads to it. */
  #digest(path: string): string | undefined {
    const fileState = this.#digests.get(path) ?? { ctimeMs: changedAt(path), digest: digestOf(path) };
    this.#digests.set(path, fileState);
    return fileState.digest;
  }

  /** Returns undefined also for a file that changed later. */
  #settledDigest(path: string, before: number): string | undefined {
    const ctimeMs = changedAt(path);
    if (ctimeMs >= before) return undefined;
    if (this.#digests.get(path)?.ctimeMs !== ctimeMs) this.#digests.delete(path);
    return this.#digest(path);
  }
}

const ABSENT = '';

/** Relative, so that the build can be moved. */
const nameOf = (file: string): string => `${sha256(relative(packageRoot, file))}.json`;

function textIn(path: string, isOwn: boolean): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { uid, mode } = fstatSync(descriptor);
    if (isOwn && ((mode & OTHERS_MAY_WRITE) !== 0 || uid !== process.getuid?.())) return undefined;
    return readFileSync(descriptor, 'utf8');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** @returns 0 for a file that does not exist */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;

function digestOf(path: string): string | undefined {
  try {
    return realpathSync.native(path) === path ? sha256(readFileSync(path, 'utf8')) : undefined;
  } catch {
    return ABSENT;
  }
}

/** Returns each package.json that is, or would be, the nearest one of an input. */
function descriptionsOf(inputs: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const folder of new Set(inputs.map((input) => dirname(input)))) {
    for (let at = folder; ; at = dirname(at)) {
      const path = join(at, 'package.json');
      paths.add(path);
      if (existsSync(path) || dirname(at) === at) break;
    }
  }
  return [...paths];
}
