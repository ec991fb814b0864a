/**
 * Definitions from files, as the daemon reads them: bundled, tried in another process, imported, checked. Used only when
 * an author asks for it, because it takes up to seconds.
 */
import { access, constants, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Loader } from '../library/bundling/loader.ts';
import { nameFor } from '../library/bundling/path-name.ts';
import { definitionFiles } from '../library/bundling/watch.ts';
import { Rejection } from '../library/options/rejection.ts';
import type { Graph } from '../library/types.ts';
import { compileGraph, type Draft, read, type TaskTables } from '../library/versions/draft.ts';
import { type Entry, link } from '../library/versions/link.ts';
import { buildId } from '../platform/lib/build-id.ts';
import { packagePath } from '../vocabulary/package-path.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import { type Definitions, setIncluded } from './compile-graph.ts';
import { misuse } from './misuse.ts';

/** Written by `api/build/build.mjs`. */
const BUILT = 'dist/library';
/** The time of versions, which are not kept. */
const NEVER = new Date(0).toISOString();
const CACHE = 'node_modules/.cache/nodewright/kit';

interface IncludedDefinitions extends Definitions {
  /** The sources of the tasks. */
  entries: readonly Entry[];
}

let whole: Promise<IncludedDefinitions> | undefined;

/**
 * Loads the graphs and tasks that come with nodewright; afterwards they can be named. Later calls return the same ones.
 */
export function includedDefinitions(): Promise<Definitions> {
  return includedEntries();
}

function includedEntries(): Promise<IncludedDefinitions> {
  whole ??= loadIncluded();
  return whole;
}

async function loadIncluded(): Promise<IncludedDefinitions> {
  const [tasks, graphs] = await withLoader((loader) =>
    Promise.all([entriesIn(loader, 'task', packagePath('tasks')), entriesIn(loader, 'graph', packagePath('graphs'))]),
  );
  const tables = link([...tasks, ...graphs], NEVER);
  const definitions = { graphs: tables.graphs, tasks: tables.tasks, entries: tasks };
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
export async function loadGraph(file: string, options: LoadOptions = {}): Promise<Graph> {
  try {
    const { draft, tables } = await readGraph(file, options);
    return compileGraph(draft, tables).made;
  } catch (error) {
    throw errorOfFile(resolve(file), error);
  }
}

/** A graph that was read, and the tasks that it may name. */
export interface ReadGraph {
  draft: Draft;
  tables: TaskTables;
  /** Its path below its folder of graphs: the nearest one with that name, or its own. */
  path: string;
}

/** Reads the graph of a file, without compiling it. @throws as `loadGraph` */
export async function readGraph(file: string, { tasks }: LoadOptions = {}): Promise<ReadGraph> {
  const whole = resolve(file);
  await access(whole, constants.R_OK).catch(() => {
    throw misuse(`no file ${file}`, 'the file of a graph', 'correct the path');
  });
  const folder = graphsFolder(whole);
  const path = relative(folder, whole);
  return withLoader(async (loader) => {
    const { draft } = await read(whole, 'graph', loader, nameFor(path));
    return { draft, path, tables: await tasksFor(loader, resolve(tasks ?? join(dirname(folder), 'tasks'))) };
  });
}

function graphsFolder(file: string): string {
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) if (basename(at) === 'graphs') return at;
  return dirname(file);
}

/** The included tasks and those of a folder. @throws Rejection for the first bad file of the folder */
async function tasksFor(loader: Loader, folder: string): Promise<TaskTables> {
  const { entries } = await includedEntries();
  const ownEntries = folder === packagePath('tasks') ? [] : await entriesIn(loader, 'task', folder);
  const { tasks, errors, served } = link([...entries, ...ownEntries], NEVER);
  const [bad] = errors;
  if (bad !== undefined) throw errorOfFile(bad.file, new Rejection(bad.found, bad.expected));
  const code = new Set([...served.values()].filter(({ body }) => body.kind === 'module').map(({ source }) => source));
  return { all: tasks, code: new Map([...tasks].filter(([, { source }]) => code.has(source))) };
}

/** Most rejections of a file name it, with the line; others do not. */
function errorOfFile(file: string, error: unknown): unknown {
  if (!(error instanceof Rejection) || error.message.includes(file)) return error;
  const { found, expected, violations } = error;
  return new Rejection(`${found} in ${file}`, expected, {
    cause: error,
    ...(violations !== undefined && { violations }),
  });
}

async function entriesIn(loader: Loader, what: Entry['what'], folder: string): Promise<Entry[]> {
  const files = await definitionFiles(folder);
  return Promise.all(
    files.map(async (file): Promise<Entry> => {
      try {
        const { draft, inputs } = await read(file, what, loader);
        return { at: file, what, newest: draft, inputs };
      } catch (error) {
        const unread =
          error instanceof Rejection ? error : new Rejection(messageOf(error), 'a file that can be loaded');
        return { at: file, what, inputs: [file], unread };
      }
    }),
  );
}

export async function withLoader<T>(use: (loader: Loader) => Promise<T>): Promise<T> {
  const reuse = buildId === undefined ? undefined : { build: buildId, built: packagePath(BUILT) };
  const loader = new Loader(await cacheDir(), reuse);
  try {
    await loader.open();
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
