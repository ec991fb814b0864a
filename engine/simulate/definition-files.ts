/**
 * Definitions from files, as the daemon reads them: bundled, tried in another process, imported, checked. Used only when
 * an author asks for it, because it takes up to seconds.
 */
import { access, constants, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packagePath } from '../define/package-path.ts';
import { messageOf } from '../define/thrown.ts';
import { compileGraph, read } from '../library/candidate.ts';
import { type Entry, link, type Tables } from '../library/link.ts';
import { Loader } from '../library/loader.ts';
import { Rejection } from '../library/rejection.ts';
import type { Graph } from '../library/types.ts';
import { definitionFiles } from '../library/watch.ts';
import { type Definitions, setIncluded } from './compile-graph.ts';
import { misuse } from './misuse.ts';

const CACHE = 'node_modules/.cache/nodewright/kit';

let whole: Promise<Definitions> | undefined;

/**
 * Loads the graphs and tasks that come with nodewright; afterwards they can be named. Later calls return the same ones.
 */
export function included(): Promise<Definitions> {
  whole ??= loadIncluded();
  return whole;
}

async function loadIncluded(): Promise<Definitions> {
  const tables = await withLoader((loader) => tablesOf(loader, [packagePath('tasks')], [packagePath('graphs')]));
  const definitions = { graphs: tables.graphs, tasks: tables.tasks };
  setIncluded(definitions);
  return definitions;
}

export interface LoadOptions {
  /** The folder of own tasks that the graph names. Default: `tasks` beside the folder of the file. */
  tasks?: string;
}

/**
 * Loads the graph of a file (`.ts`, `.js`, `.json`) as the daemon would.
 * @throws NodewrightError INVALID_DEFINITION with the file, the line if it is known, and the reason
 */
export async function loadGraph(file: string, { tasks }: LoadOptions = {}): Promise<Graph> {
  const path = resolve(file);
  await access(path, constants.R_OK).catch(() => {
    throw misuse(`no file ${file}`, 'the file of a graph', 'correct the path');
  });
  const own = tasks ?? join(dirname(dirname(path)), 'tasks');
  return withLoader(async (loader) => {
    try {
      const { candidate } = await read(path, 'graph', loader);
      const { tasks: common } = await included();
      const { tasks: found, errors, served } = await tablesOf(loader, own === packagePath('tasks') ? [] : [own], []);
      const all = new Map([...common, ...found]);
      const code = new Map([...all].filter(([, { source }]) => source.kind === 'file'));
      void served;
      if (errors[0] !== undefined) throw new Rejection(`${errors[0].found} in ${errors[0].file}`, errors[0].expected);
      return compileGraph(candidate, { code, all }).made;
    } catch (error) {
      throw named(path, error);
    }
  });
}

/** Most rejections of a file name it, with the line; others do not. */
function named(file: string, error: unknown): unknown {
  if (!(error instanceof Rejection) || error.message.includes(file)) return error;
  const { found, expected, violations } = error;
  return new Rejection(`${found} in ${file}`, expected, {
    cause: error,
    ...(violations !== undefined && { violations }),
  });
}

async function tablesOf(loader: Loader, tasks: readonly string[], graphs: readonly string[]): Promise<Tables> {
  const folders = [
    ...tasks.map((folder) => ['task', folder] as const),
    ...graphs.map((folder) => ['graph', folder] as const),
  ];
  const files = await Promise.all(
    folders.map(async ([what, folder]) => (await definitionFiles(folder)).map((file) => ({ what, file }))),
  );
  const entries = files.flat().map(async ({ what, file }): Promise<Entry> => {
    try {
      const { candidate, inputs } = await read(file, what, loader);
      return { at: file, what, newest: candidate, inputs };
    } catch (error) {
      const unread = error instanceof Rejection ? error : new Rejection(messageOf(error), 'a file that can be loaded');
      return { at: file, what, inputs: [file], unread };
    }
  });
  return link(await Promise.all(entries), new Date(0).toISOString());
}

async function withLoader<T>(use: (loader: Loader) => Promise<T>): Promise<T> {
  const loader = new Loader(await cacheDir(), undefined);
  try {
    return await use(loader);
  } finally {
    loader.stop();
  }
}

/** Texts that passed their trial are not tried again, if the package can be written to. */
async function cacheDir(): Promise<string> {
  const folder = packagePath(CACHE);
  const isOurs = await mkdir(folder, { recursive: true }).then(
    () => true,
    () => false,
  );
  return isOurs ? folder : mkdtemp(join(tmpdir(), 'nodewright-kit-'));
}
