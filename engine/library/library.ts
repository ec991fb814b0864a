/**
 * The library: every graph and task that workflows can be made of, by name.
 *
 * Owns: the tables served, the watching of the folders, the definitions put through the API. Relies on: `assemble`
 * (what the sources make), `archive` (versions), `kept` (the API's definitions), `watch` (which files changed).
 *
 * 1. Changes are taken one after the other; each makes new tables from all sources, and these are served as a whole,
 *    after their versions are saved.
 * 2. A new or changed file is served within 2 s. A broken one is told in `errors()` until it is mended or gone; the
 *    last good version goes on being served meanwhile.
 * 3. What a file defines is changed in the file: the API refuses with CONFLICT.
 * 4. A change whose versions cannot be saved is not served; it is tried again until they can.
 * 5. `close()` ends the watching and waits for the change in hand.
 */
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import type { Store } from '../store/port.ts';
import { Archive } from './archive.ts';
import { assemble, type Entry, type Tables } from './assemble.ts';
import { type Candidate, read } from './candidate.ts';
import { Kept } from './kept.ts';
import { Refusal } from './refusal.ts';
import { checkDepth } from './templates.ts';
import type { DefinitionError, Graph, Task } from './types.ts';
import { definitionFiles, isDefinitionFile, Watch } from './watch.ts';

/** One line for the log. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What a change did to the tables. */
export interface Change {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface LibraryOptions {
  folders: { graphs: readonly string[]; tasks: readonly string[] };
  cacheDir: string;
  store: Store;
  log: Log;
  /** Called after new tables are served. */
  onChange?: (change: Change) => void;
}

/** Old versions in memory; more are loaded again from the archive. */
const PINNED_LIMIT = 256;
/** Half of what rule 2 allows. */
const RETRY_MS = 1_000;

type What = Candidate['what'];

export class Library {
  private readonly options: LibraryOptions;
  private readonly folders: { what: What; folder: string }[];
  private readonly entries = new Map<string, Entry>();
  private readonly pinnedGraphs = new Map<string, Graph>();
  private readonly archive: Archive;
  private readonly kept: Kept;
  private tables: Tables = assemble([], '');
  private byHash: ReadonlyMap<string, Graph> = new Map();
  private watch: Watch | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  /** The change in hand, and those behind it; never rejects. */
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(options: LibraryOptions, archive: Archive, kept: Kept) {
    this.options = options;
    this.archive = archive;
    this.kept = kept;
    const { graphs, tasks } = options.folders;
    this.folders = [
      ...tasks.map((folder) => ({ what: 'task' as const, folder: resolve(folder) })),
      ...graphs.map((folder) => ({ what: 'graph' as const, folder: resolve(folder) })),
    ];
  }

  /** Resolves when everything that is there is loaded, and changes are seen. */
  static async open(options: LibraryOptions): Promise<Library> {
    const { store, cacheDir } = options;
    const library = new Library(options, await Archive.open(store, resolve(cacheDir)), await Kept.open(store));
    await library.start();
    return library;
  }

  private async start(): Promise<void> {
    const folders = this.folders.map(({ folder }) => folder);
    // Watching first: what changes while the folders are read is seen twice rather than never.
    const changed = (files: ReadonlySet<string>) => void this.inTurn(() => this.reload(files)).catch(this.failed);
    this.watch = await Watch.open(folders, changed, this.failed);
    try {
      await this.inTurn(() => this.loadAll());
    } catch (error) {
      await this.watch.close();
      throw error;
    }
  }

  /** The store was away, most likely. What was read is in `entries`, so that serving it is all there is to repeat. */
  private readonly failed = (error: unknown) => {
    if (this.closed) return;
    this.options.log.warn({ err: error }, `a change of the library was not taken; tried again in ${RETRY_MS} ms`);
    this.retry ??= setTimeout(() => {
      this.retry = undefined;
      void this.inTurn(() => this.serve()).catch(this.failed);
    }, RETRY_MS);
  };

  graph(name: string): Graph | undefined {
    return this.tables.graphs.get(name);
  }

  task(name: string): Task | undefined {
    return this.tables.tasks.get(name);
  }

  graphs(): Graph[] {
    return sorted(this.tables.graphs);
  }

  tasks(): Task[] {
    return sorted(this.tables.tasks);
  }

  errors(): readonly DefinitionError[] {
    return this.tables.errors;
  }

  /** The version that a workflow started with. @throws NodewrightError DEFINITION_GONE, saying what to do */
  async pinned(hash: string): Promise<Graph> {
    const here = this.byHash.get(hash) ?? this.pinnedGraphs.get(hash);
    if (here !== undefined) return here;
    const graph = await this.archive.graph(hash);
    const [oldest] = this.pinnedGraphs.keys();
    if (this.pinnedGraphs.size >= PINNED_LIMIT && oldest !== undefined) this.pinnedGraphs.delete(oldest);
    this.pinnedGraphs.set(hash, graph);
    return graph;
  }

  /** @throws NodewrightError INVALID_DEFINITION with faults, CONFLICT when a file defines the name */
  async putGraph(json: unknown): Promise<Graph> {
    const name = await this.inTurn(() => this.put('graph', json));
    return this.tables.graphs.get(name)!;
  }

  /** @throws NodewrightError INVALID_DEFINITION, CONFLICT also when a graph that uses the task would break */
  async putTask(json: unknown): Promise<Task> {
    const name = await this.inTurn(() => this.put('task', json));
    return this.tables.tasks.get(name)!;
  }

  /** @throws NodewrightError NOT_FOUND, CONFLICT when it comes from a file */
  async removeGraph(name: string): Promise<void> {
    await this.inTurn(() => this.remove('graph', name));
  }

  /** @throws NodewrightError NOT_FOUND, CONFLICT when a graph uses it or it comes from a file */
  async removeTask(name: string): Promise<void> {
    await this.inTurn(async () => {
      const users = [...this.tables.uses].filter(([, uses]) => uses.has(name)).map(([graph]) => graph);
      if (users.length > 0 && !this.fromFile('task', name)) {
        const message = `found ${name} used by ${users.slice(0, 10).join(', ')}; remove or change those graphs first`;
        throw new NodewrightError('CONFLICT', message);
      }
      await this.remove('task', name);
    });
  }

  /** Takes what other daemons put since. */
  async refresh(): Promise<void> {
    await this.inTurn(async () => {
      await this.readKept();
      await this.serve();
    });
  }

  /** Forgets old versions. @param inUse hashes that workflows are pinned to. @returns how many went */
  async prune(inUse: ReadonlySet<string>): Promise<number> {
    const removed = await this.archive.prune(new Set(this.tables.versions.map(({ id }) => id)), inUse);
    for (const hash of this.pinnedGraphs.keys()) if (!inUse.has(hash)) this.pinnedGraphs.delete(hash);
    return removed;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.watch?.close();
    await this.tail;
  }

  private inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(change);
    this.tail = turn.catch(() => {});
    return turn;
  }

  private async loadAll(): Promise<void> {
    // The API's names were checked against the files when they were put, so they claim first.
    await this.readKept();
    for (const { what, folder } of this.folders) {
      const files = await definitionFiles(folder);
      await eachOf(files, (file) => this.readFile(what, file));
    }
    await this.serve();
  }

  private async reload(files: ReadonlySet<string>): Promise<void> {
    const touched = new Map<string, What>();
    for (const file of files) {
      const folder = this.folders.find((one) => file.startsWith(`${one.folder}/`));
      if (folder !== undefined && isDefinitionFile(file)) touched.set(file, folder.what);
    }
    for (const [key, { at, what, inputs, unread }] of this.entries) {
      // A file that could not be read may lack exactly what has changed now.
      const affected = unread !== undefined || inputs.some((input) => files.has(input));
      if (affected && key.startsWith('file:')) touched.set(at, what);
    }
    await eachOf([...touched], ([file, what]) => this.readFile(what, file));
    await this.serve();
  }

  private async readFile(what: What, file: string): Promise<void> {
    const key = `file:${file}`;
    // Claimed before anything is awaited, so that the order of claims is that of the files.
    const entry: Entry = this.entries.get(key) ?? { at: file, what, inputs: [file] };
    this.entries.set(key, entry);
    if (!(await there(file))) {
      this.entries.delete(key);
      return;
    }
    try {
      const { candidate, inputs } = await read(file, what, this.options.cacheDir);
      this.entries.set(key, { ...entry, newest: candidate, inputs, unread: undefined });
    } catch (error) {
      const unread = error instanceof Refusal ? error : new Refusal(String(error), 'a file that can be loaded');
      this.entries.set(key, { ...entry, unread });
    }
  }

  private async readKept(): Promise<void> {
    const seen = new Set<string>();
    for (const what of ['task', 'graph'] as const) {
      for (const { name, json } of await this.kept.all(what)) {
        const key = `${what}:${name}`;
        seen.add(key);
        const known = this.entries.get(key);
        const same =
          known?.newest?.body.kind === 'json' && JSON.stringify(known.newest.body.json) === JSON.stringify(json);
        if (!same) this.entries.set(key, entryOf(what, name, json));
      }
    }
    for (const key of this.entries.keys()) if (!key.startsWith('file:') && !seen.has(key)) this.entries.delete(key);
  }

  private async put(what: What, json: unknown): Promise<string> {
    checkDepth(json);
    const name = nameOf(json);
    const key = `${what}:${name}`;
    if (this.fromFile(what, name)) throw this.ownedByFile(what, name);
    const entry = entryOf(what, name, json);
    const before = this.tables;
    const tables = assemble([...new Map([...this.entries, [key, entry]]).values()], new Date().toISOString());
    if (!tables.served.has(entry))
      throw entry.refusal ?? new Refusal(`a ${what} that does not compile`, 'one that does');
    const broken = [...before.graphs.keys()].filter((graph) => !tables.graphs.has(graph));
    if (broken.length > 0) {
      throw new NodewrightError(
        'CONFLICT',
        `found ${broken.join(', ')} using ${name} in a way that it would not allow`,
      );
    }
    await this.kept.put(what, name, json);
    this.entries.set(key, entry);
    await this.serve();
    return name;
  }

  private async remove(what: What, name: string): Promise<void> {
    const key = `${what}:${name}`;
    if (!this.entries.has(key)) {
      if (this.fromFile(what, name)) throw this.ownedByFile(what, name);
      const title = what === 'graph' ? 'Graph' : 'Task';
      throw new NodewrightError('NOT_FOUND', `${title} definition not found for ${name}`);
    }
    await this.kept.remove(what, name);
    this.entries.delete(key);
    await this.serve();
  }

  private sourceOf(what: What, name: string) {
    return (what === 'graph' ? this.tables.graphs.get(name) : this.tables.tasks.get(name))?.source;
  }

  private fromFile = (what: What, name: string) => this.sourceOf(what, name)?.kind === 'file';

  private ownedByFile(what: What, name: string): NodewrightError {
    const source = this.sourceOf(what, name);
    const file = source?.kind === 'file' ? source.file : '';
    return new NodewrightError(
      'CONFLICT',
      `found ${name} defined by the file ${file}; change or remove the file instead`,
    );
  }

  /** Rule 1. */
  private async serve(): Promise<void> {
    const before = this.tables;
    const tables = assemble([...this.entries.values()], new Date().toISOString());
    await this.archive.save(tables.versions);
    this.tables = tables;
    this.byHash = new Map([...tables.graphs.values()].map((graph) => [graph.hash, graph]));
    for (const [entry, candidate] of tables.served) entry.good = candidate;
    this.tell(before, tables);
  }

  private tell(before: Tables, now: Tables): void {
    const change = difference(
      new Map<string, { hash: string }>([...before.tasks, ...before.graphs]),
      new Map<string, { hash: string }>([...now.tasks, ...now.graphs]),
    );
    const known = new Set(before.errors.map(({ file, message }) => `${file} ${message}`));
    for (const error of now.errors) {
      if (!known.has(`${error.file} ${error.message}`)) this.options.log.warn({ ...error }, 'definition refused');
    }
    if (change.added.length + change.changed.length + change.removed.length === 0) return;
    this.options.log.info({ ...change }, 'definitions changed');
    this.options.onChange?.(change);
  }
}

export const openLibrary = (options: LibraryOptions): Promise<Library> => Library.open(options);

const entryOf = (what: What, name: string, json: unknown): Entry => {
  const newest: Candidate = { what, body: { kind: 'json', json }, source: { kind: 'api' } };
  return { at: name, what, newest, inputs: [] };
};

function nameOf(json: unknown): string {
  const name = typeof json === 'object' && json !== null && 'injectableName' in json ? json.injectableName : undefined;
  if (typeof name === 'string' && name !== '') return name;
  const fault = { path: 'injectableName', message: 'expected the name of the definition' };
  throw new Refusal('a definition without injectableName', 'an object with its name', { faults: [fault] });
}

function difference(before: Map<string, { hash: string }>, now: Map<string, { hash: string }>): Change {
  const added = [...now.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !now.has(name));
  const changed = [...now]
    .filter(([name, { hash }]) => (before.get(name)?.hash ?? hash) !== hash)
    .map(([name]) => name);
  return { added, changed, removed };
}

const sorted = <T>(table: ReadonlyMap<string, T>): T[] =>
  [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);

const there = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** A few at once: each holds a bundle in memory. */
async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
