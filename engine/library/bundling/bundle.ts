/**
 * Bundles a definition file into one text, and loads that text as a module.
 *
 * Relies on: esbuild, which is loaded with the first file; `text-folder.ts` for the place that texts are imported from.
 *
 * 1. The text contains the file and all its own imports, including the authoring kit; packages stay external. Its hash
 *    therefore identifies a version of all of it, and the text can be loaded again later.
 * 2. Only its definition is used: the default export, or the only machine (`module-exports.ts`).
 * 3. esbuild's own process, which takes 50 MiB, ends when nothing has been bundled for a while.
 * 4. An import must end within a limit. A file that blocks the thread cannot be stopped from within, so a new text is first
 *    tried in another process (`trials.ts`), whose limit is `LOAD_LIMIT_MS`.
 */
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildOptions, Metafile } from 'esbuild';
import { batch } from '../../platform/lib/batch.ts';
import { packagePath, packageRoot } from '../../vocabulary/package-path.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { definitionIn } from '../forms/module-exports.ts';
import { sha256 } from '../options/hash.ts';
import { Rejection } from '../options/rejection.ts';
import { buildRejection, importRejection } from './module-rejections.ts';
import { put } from './text-folder.ts';

/** ms for a trial of one text; a busy machine takes seconds to start a process. */
export const LOAD_LIMIT_MS = 10_000;
/**
 * How many times the limit a text has on a machine that is too busy to run it. An import always has it: it takes the time of
 * everything else on its thread too, and that it ends is known from the trial.
 */
export const BUSY_LIMITS = 6;
/** The next build starts esbuild's process again, which takes some 20 ms. */
const IDLE_MS = 1_000;
/** Bundles in one build, all in memory at the same time, about 30 KiB each. */
const FILES_BATCH = 64;

/** The parts of this package that definitions may import, by their names in its package.json. */
const aliases = {
  'nodewright/define': packagePath('engine/define/index.ts'),
  'nodewright/tasks': packagePath('tasks'),
};

/** The options of esbuild for definitions. */
export const definitionBuild = {
  outExtension: { '.js': '.mjs' },
  absWorkingDir: packageRoot,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'silent',
  tsconfigRaw: {},
  alias: aliases,
  loader: { '.sh': 'text' },
} as const satisfies BuildOptions;

export interface Bundle {
  text: string;
  /** SHA-256 of the text. */
  hash: string;
  /** Absolute paths of its files: a change of one changes the definition. */
  inputs: string[];
  map: string;
  /** Date.now() before its files were read; absent: a new file could take the place of one of them. */
  since?: number;
  /** Imports the same module from the build; absent: the text is imported. */
  built?: () => Promise<Module>;
}

export type Module = Readonly<Record<string, unknown>>;

const buildAlone = (file: string): Promise<Bundle | Rejection> =>
  buildBundles([file]).then(
    ([result]) => result as Bundle,
    (error) => buildRejection(error, file),
  );

/** If the joint build fails, the files are built one by one, to find the invalid one and use the others. */
const together = batch(
  (files: string[]): Promise<(Bundle | Rejection)[]> =>
    buildBundles(files).catch(() => Promise.all(files.map(buildAlone))),
  FILES_BATCH,
);

/**
 * Bundles a file. Concurrent calls are built together, so that shared files are read once.
 * @throws Rejection with file:line if the file cannot be read as a module
 */
export async function bundle(file: string): Promise<Bundle> {
  const result = await together(file);
  if (result instanceof Rejection) throw result;
  return result;
}

let building = 0;
let idle: NodeJS.Timeout | undefined;

/** @returns a bundle for each file, identical to that of a separate build */
async function buildBundles(files: readonly string[]): Promise<Bundle[]> {
  clearTimeout(idle);
  building += 1;
  try {
    return await buildAll(files);
  } finally {
    building -= 1;
    if (building === 0) idle = setTimeout(() => void endBundling(), IDLE_MS).unref();
  }
}

/** Ends esbuild's process, and with it each build that runs in this process. */
export async function endBundling(): Promise<void> {
  clearTimeout(idle);
  const { stop } = await import('esbuild');
  await stop();
}

async function buildAll(files: readonly string[]): Promise<Bundle[]> {
  const { build } = await import('esbuild');
  const since = Date.now();
  const { outputFiles, metafile } = await build({
    ...definitionBuild,
    // Numbered names, because several paths may be links to the same file.
    entryPoints: Object.fromEntries(files.map((file, at) => [at, file])),
    outdir: packageRoot,
    write: false,
    metafile: true,
    sourcemap: 'external',
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  return files.map((_, at) => {
    const text = texts.get(join(packageRoot, `${at}.mjs`)) ?? '';
    const entry = metafile.outputs[`${at}.mjs`]?.entryPoint ?? '';
    const names = inputsOf(entry, metafile);
    const newBundle = {
      text,
      hash: sha256(text),
      inputs: names.map((input) => resolve(packageRoot, input)),
      map: texts.get(join(packageRoot, `${at}.mjs.map`)) ?? '',
    };
    return names.every((name) => isExplicit(name, metafile)) ? { ...newBundle, since } : newBundle;
  });
}

/** Returns all files that were read for it, even if the text contains nothing of them. */
function inputsOf(entry: string, { inputs }: Metafile): string[] {
  const paths = new Set([entry]);
  for (const input of paths) {
    for (const { path, external } of inputs[input]?.imports ?? []) if (!external) paths.add(path);
  }
  return [...paths];
}

const isOwn = (name = ''): boolean => name === 'nodewright/define' || name.startsWith('nodewright/tasks/');

/** Whether each import of a file names its path, and not only a part of it. */
function isExplicit(input: string, { inputs }: Metafile): boolean {
  const sourcePath = (original = '') => resolve(packageRoot, dirname(input), original);
  return (inputs[input]?.imports ?? []).every(
    ({ path, original, external }) =>
      external || isOwn(original) || sourcePath(original) === resolve(packageRoot, path),
  );
}

export type Load = (bundle: Bundle) => Promise<unknown>;

/** Imports the text. @returns its definition @throws Rejection with file:line if it throws or does not end */
export async function load(
  { text, hash, inputs, map, built }: Bundle,
  cacheDir: string,
  limitOfTrialMs = LOAD_LIMIT_MS,
): Promise<unknown> {
  const limitMs = BUSY_LIMITS * limitOfTrialMs;
  const importText = async (): Promise<Module> => import(pathToFileURL(await put({ text, hash }, cacheDir)).href);
  const rejectLate = (): never => {
    throw new Rejection(`a file still loading after ${limitMs} ms`, 'no long waits at the top level');
  };
  try {
    return definitionIn(await withTimeout((built ?? importText)(), limitMs, rejectLate));
  } catch (error) {
    if (error instanceof Rejection) throw error;
    throw await importRejection(error, hash, inputs, map);
  }
}
