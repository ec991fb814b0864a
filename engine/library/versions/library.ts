/**
 * The library: every graph and task that workflows can use, by name.
 *
 * Owns: the tables in use, the watching of the folders, the definitions put through the API. Relies on: `link`
 * (compiles the sources), `archive` (versions), `kept` (the API's definitions), `watch` (changed files).
 *
 * 1. Changes are processed in sequence; each compiles new tables from all sources, and these are served as a whole,
 *    after their versions are saved.
 * 2. A new or changed file is served within 2 s. An invalid one is in `errors()`; its last good version is served, also after a start.
 * 3. Definitions from a file can be changed only in the file: the API rejects a change with CONFLICT. Those that come
 *    with nodewright give way to one put through the API, until it is removed.
 * 4. A change whose versions cannot be saved is not served; it is retried until they can be saved.
 * 5. Definitions from a pack change with the pack. On nodes of its SKU they override those with the same name.
 * 6. `close()` stops the watching and waits for the current change.
 * 7. A text that is new to this daemon is tried in another process before it is imported (`trials.ts`). A start
 *    repeats nothing for unchanged definitions (`loader.ts`).
 * 8. A file whose path does not agree with its name is served, with a warning (`path-name.ts`).
 */
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import type { Store } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { Loader, type ReuseOptions } from '../bundling/loader.ts';
import { PathNames } from '../bundling/path-name.ts';
import { definitionFiles, FolderWatch, isDefinitionFile, isThere } from '../bundling/watch.ts';
import { Rejection } from '../options/rejection.ts';
import { checkDepth } from '../options/templates.ts';
import type { Authorship, DefinitionError, Graph, LibraryLog, Task } from '../types.ts';
import { ApiDefinitions } from './api-definitions.ts';
import { Archive } from './archive.ts';
import { type Change, difference, rejectBroken, rejectUnfit, rejectUsed } from './change.ts';
import { type Draft, read } from './draft.ts';
import { type Entry, link, type Tables } from './link.ts';
import { type Definition, skuDefinitionName } from './sku-definitions.ts';
import { entryOfPack, isSame, keyOf, nameOf, sourceEntry } from './sources.ts';

export interface LibraryOptions {
  folders: { graphs: readonly string[]; tasks: readonly string[] };
  cacheDir: string;
  store: Store;
  log: LibraryLog;
  /** Returns the definitions of packs, in the order of their claims on names; absent: there are no packs. */
  packs?: () => Promise<Definition[]>;
  /** Called after new tables are served. */
  onChange?: (change: Change) => void;
  /** Folders whose definitions give way to those put through the API. */
  included?: readonly string[];
  /** Absent: each start bundles and checks all definitions. */
  reuse?: ReuseOptions | undefined;
  limitMs?: number | undefined; // for the trial and the import of a file; absent: LOAD_LIMIT_MS
}

/** Others are loaded from the archive. */
const PINNED_LIMIT = 256;
/** Each holds a bundle in memory, about 100 KiB; concurrent requests are built and tried together. */
const FILES_CONCURRENCY = 256;
/** Half the time of rule 2. */
const RETRY_DELAY_MS = 1_000;

type What = Draft['what'];

export class DefinitionLibrary {
  private readonly options: LibraryOptions;
  private readonly loader: Loader;
  private readonly folders: { what: What; folder: string }[];
  private readonly entries = new Map<string, Entry>();
  private readonly pinnedGraphs = new Map<string, Graph>();
  private readonly pathNames: PathNames;
  private readonly archive: Archive;
  private readonly apiDefinitions: ApiDefinitions;
  private tables: Tables = link([], '');
  private byHash: ReadonlyMap<string, Graph> = new Map();
  private watch: FolderWatch | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  private tail: Promise<unknown> = Promise.resolve(); // the current change and those queued behind it; never rejects

  private constructor(options: LibraryOptions, archive: Archive, apiDefinitions: ApiDefinitions) {
    this.options = options;
    this.loader = new Loader(resolve(options.cacheDir), options.reuse, options.limitMs);
    this.archive = archive;
    this.apiDefinitions = apiDefinitions;
    const { graphs, tasks } = options.folders;
    this.folders = [
      ...tasks.map((folder) => ({ what: 'task' as const, folder: resolve(folder) })),
      ...graphs.map((folder) => ({ what: 'graph' as const, folder: resolve(folder) })),
    ];
    this.pathNames = new PathNames([...graphs, ...tasks], options.log);
  }

  /** Until `load`, serves only versions that workflows are pinned to. */
  static async prepare(options: LibraryOptions): Promise<DefinitionLibrary> {
    const { store, cacheDir } = options;
    const archive = await Archive.open(store, resolve(cacheDir));
    return new DefinitionLibrary(options, archive, await ApiDefinitions.open(store));
  }

  async load(): Promise<void> {
    const folders = this.folders.map(({ folder }) => folder);
    // Watching starts first: changes during the reading are then seen twice rather than missed.
    const onChange = (files: ReadonlySet<string>) => void this.inTurn(() => this.reload(files)).catch(this.failed);
    this.watch = await FolderWatch.open(folders, onChange, this.failed);
    try {
      await this.inTurn(() => this.loadAll());
    } catch (error) {
      await this.watch.close();
      throw error;
    }
    // Files rejected by an earlier process may only have been slow on a busy machine.
    if (this.loader.retry()) void this.inTurn(() => this.reload(new Set())).catch(this.failed);
  }

  /**
   * Retries after a failure, most likely of the store. The changes are in `entries`, so only the serving is repeated.
   */
  private readonly failed = (error: unknown) => {
    if (this.closed) return;
    this.options.log.warn({ err: error }, `a change of the library failed; retrying in ${RETRY_DELAY_MS} ms`);
    this.retry ??= setTimeout(() => {
      this.retry = undefined;
      void this.inTurn(() => this.serve()).catch(this.failed);
    }, RETRY_DELAY_MS);
  };

  /** @param sku of the node that the graph will run on */
  graph(name: string, sku?: string): Graph | undefined {
    const { graphs, skuOverrides } = this.tables;
    if (sku === undefined) return graphs.get(name);
    const registered = skuDefinitionName(name, sku);
    return graphs.get(registered) ?? skuOverrides.get(registered) ?? graphs.get(name);
  }

  task(name: string): Task | undefined {
    return this.tables.tasks.get(name);
  }

  graphs(): Graph[] {
    return sortByName(this.tables.graphs);
  }

  tasks(): Task[] {
    return sortByName(this.tables.tasks);
  }

  errors(): readonly DefinitionError[] {
    return this.tables.errors;
  }

  /** Returns the version that a workflow started with. @throws NodewrightError DEFINITION_GONE, with what to do */
  async pinnedGraph(hash: string): Promise<Graph> {
    const here = this.byHash.get(hash) ?? this.pinnedGraphs.get(hash);
    if (here !== undefined) return here;
    const graph = await this.archive.graph(hash);
    const [oldest] = this.pinnedGraphs.keys();
    if (this.pinnedGraphs.size >= PINNED_LIMIT && oldest !== undefined) this.pinnedGraphs.delete(oldest);
    this.pinnedGraphs.set(hash, graph);
    return graph;
  }

  versionsOf = (name: string) => this.archive.versionsOf(name);
  versionSource = (hash: string) => this.archive.sourceOf(hash);

  /** @throws NodewrightError INVALID_DEFINITION with violations, CONFLICT if a file defines the name */
  async putGraph(json: unknown, by?: string): Promise<Graph> {
    const name = await this.inTurn(() => this.put('graph', json, by));
    return this.tables.graphs.get(name)!;
  }

  /** Returns the graph that `putGraph` would serve; changes nothing. @throws as `putGraph` */
  readonly checkGraph = (json: unknown): Graph => this.draftOf('graph', json).graph as Graph;

  /** @throws NodewrightError INVALID_DEFINITION, CONFLICT also if a graph that uses the task would break */
  async putTask(json: unknown, by?: string): Promise<Task> {
    const name = await this.inTurn(() => this.put('task', json, by));
    return this.tables.tasks.get(name)!;
  }

  /**
   * Replaces the definitions of a SKU's pack.
   * @param commit assigns the pack to the SKU, after its definitions were validated and before they are served
   * @throws NodewrightError INVALID naming the invalid definition, and errors of `commit`; nothing is changed then
   */
  putPack<T>(sku: string, definitions: readonly Definition[], commit: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      const others = [...this.entries].filter(([, entry]) => entry.sku !== sku);
      const reading = definitions.map(async (one) => [keyOf(one), await entryOfPack(one, this.loader.text)] as const);
      const ownEntries = await Promise.all(reading);
      rejectUnfit(sku, this.tables, link([...new Map([...others, ...ownEntries]).values()], now()), ownEntries);
      const done = await commit();
      for (const [key, entry] of this.entries) if (entry.sku === sku) this.entries.delete(key);
      for (const [key, entry] of ownEntries) this.entries.set(key, entry);
      // The pack now belongs to the SKU: if it cannot be served immediately, it is served later (rule 4).
      await this.serve().catch(this.failed);
      return done;
    });
  }

  /** @throws NodewrightError NOT_FOUND, CONFLICT if it comes from a file */
  async removeGraph(name: string): Promise<void> {
    await this.inTurn(() => this.remove('graph', name));
  }

  /** @throws NodewrightError NOT_FOUND, CONFLICT if a graph uses it or it comes from a file */
  async removeTask(name: string): Promise<void> {
    await this.inTurn(async () => {
      const others = () => [...this.entries].filter(([key]) => key !== `task:${name}`).map(([, entry]) => entry);
      if (!this.owned('task', name)) rejectUsed(name, this.tables, () => link(others(), now()));
      await this.remove('task', name);
    });
  }

  /** Reads the definitions that other daemons have put. */
  async refresh(): Promise<void> {
    await this.inTurn(async () => {
      await this.readApiDefinitions();
      await this.serve();
    });
  }

  /** Deletes leftovers of imports from this process's disk. */
  sweep = () => this.archive.sweep();

  /** Abandons running trials, so that the current change ends soon. */
  stop(): void {
    this.closed = true;
    this.loader.stop();
  }

  async close(): Promise<void> {
    this.stop();
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
    await this.loader.open();
    // Names put through the API were checked against the files at that time, so they claim first.
    await this.readApiDefinitions();
    const files: [what: What, file: string][] = [];
    for (const { what, folder } of this.folders)
      for (const file of await definitionFiles(folder)) files.push([what, file]);
    await pLimit(FILES_CONCURRENCY).map(files, ([what, file]) => this.readFile(what, file));
    const { served } = link([...this.entries.values()], now());
    for (const entry of this.entries.values()) {
      const good = served.has(entry) ? undefined : await this.archive.lastOf(entry.at);
      if (good !== undefined) entry.good = good;
    }
    await this.serve();
    await this.loader.prune();
  }

  private async reload(files: ReadonlySet<string>): Promise<void> {
    this.loader.refresh();
    const touched = new Map<string, What>();
    for (const file of files) {
      const folder = this.folders.find((one) => file.startsWith(`${one.folder}/`));
      if (folder !== undefined && isDefinitionFile(file)) touched.set(file, folder.what);
    }
    for (const [key, { at, what, inputs, unread }] of this.entries) {
      // The missing part of an unreadable file may be exactly what has changed.
      const affected = unread !== undefined || inputs.some((input) => files.has(input));
      if (affected && key.startsWith('file:')) touched.set(at, what);
    }
    await pLimit(FILES_CONCURRENCY).map(touched, ([file, what]) => this.readFile(what, file));
    await this.serve();
  }

  private async readFile(what: What, file: string): Promise<void> {
    const key = `file:${file}`;
    // Claimed before the first await, so that the order of claims is that of the files.
    const newEntry: Entry = { at: file, what, inputs: [file], ...(this.isIncluded(file) && { included: true }) };
    const entry = this.entries.get(key) ?? newEntry;
    this.entries.set(key, entry);
    if (!(await isThere(file))) {
      this.entries.delete(key);
      return;
    }
    try {
      const { draft, inputs } = await read(file, what, this.loader, this.pathNames.nameOf(file));
      this.entries.set(key, { ...entry, newest: draft, inputs, unread: undefined });
    } catch (error) {
      const unread = error instanceof Rejection ? error : new Rejection(String(error), 'a file that can be loaded');
      this.entries.set(key, { ...entry, unread });
    }
  }

  private async readApiDefinitions(): Promise<void> {
    const keys = new Set<string>();
    for (const what of ['task', 'graph'] as const) {
      for (const { name, json, put } of await this.apiDefinitions.all(what)) {
        const key = `${what}:${name}`;
        keys.add(key);
        if (!isSame(this.entries.get(key), { json })) this.entries.set(key, sourceEntry(what, name, json, put));
      }
    }
    for (const definition of (await this.options.packs?.()) ?? []) {
      const key = keyOf(definition);
      keys.add(key);
      if (isSame(this.entries.get(key), definition)) continue;
      this.entries.set(key, await entryOfPack(definition, this.loader.text));
    }
    for (const key of this.entries.keys()) if (!key.startsWith('file:') && !keys.has(key)) this.entries.delete(key);
  }

  /** Changes nothing. @throws as `putGraph` */
  private draftOf(what: What, json: unknown, put?: Authorship) {
    checkDepth(json);
    const name = nameOf(json);
    const key = `${what}:${name}`;
    if (this.owned(what, name) && !this.givesWay(what, name)) throw this.ownedElsewhere(what, name);
    const entry = sourceEntry(what, name, json, put);
    const tables = link([...new Map([...this.entries, [key, entry]]).values()], now());
    rejectBroken(name, entry, this.tables, tables);
    return { name, key, entry, graph: tables.graphs.get(name) };
  }

  private async put(what: What, json: unknown, by: string | undefined): Promise<string> {
    const at = now();
    const { name, key, entry } = this.draftOf(what, json, by === undefined ? undefined : { by, at });
    await this.apiDefinitions.put(what, name, json, { by, at });
    this.entries.set(key, entry);
    await this.serve();
    return name;
  }

  private async remove(what: What, name: string): Promise<void> {
    const key = `${what}:${name}`;
    if (!this.entries.has(key)) {
      if (this.owned(what, name)) throw this.ownedElsewhere(what, name);
      const title = what === 'graph' ? 'Graph' : 'Task';
      throw new NodewrightError('NOT_FOUND', `${title} definition not found for ${name}`);
    }
    await this.apiDefinitions.remove(what, name);
    this.entries.delete(key);
    await this.serve();
  }

  private isIncluded = (file: string) => (this.options.included ?? []).some((folder) => file.startsWith(`${folder}/`));
  private givesWay = (...of: [What, string]) => this.isIncluded((this.sourceOf(...of) as { file?: string }).file ?? '');

  private sourceOf(what: What, name: string) {
    return (what === 'graph' ? this.tables.graphs.get(name) : this.tables.tasks.get(name))?.source;
  }

  /** Whether a file or a pack defines the name. */
  private owned = (what: What, name: string) => (this.sourceOf(what, name)?.kind ?? 'api') !== 'api';

  private ownedElsewhere(what: What, name: string): NodewrightError {
    const source = this.sourceOf(what, name);
    const owner = source?.kind === 'file' ? `the file ${source.file}` : 'the pack of a SKU';
    return new NodewrightError('CONFLICT', `found ${name} defined by ${owner}; change or remove that instead`);
  }

  /** Rule 1. */
  private async serve(): Promise<void> {
    const before = this.tables;
    const tables = link([...this.entries.values()], now());
    await this.archive.save(tables.versions);
    this.tables = tables;
    const graphs = [...tables.graphs.values(), ...tables.skuOverrides.values()];
    this.byHash = new Map(graphs.map((graph) => [graph.hash, graph]));
    for (const [entry, draft] of tables.served) entry.good = draft;
    await this.loader.save();
    this.tell(before, tables);
  }

  private tell(before: Tables, now: Tables): void {
    const change = difference(
      new Map<string, { hash: string }>([...before.tasks, ...before.graphs]),
      new Map<string, { hash: string }>([...now.tasks, ...now.graphs]),
    );
    const past = new Set(before.errors.map(({ file, message }) => `${file} ${message}`));
    for (const error of now.errors) {
      if (!past.has(`${error.file} ${error.message}`)) this.options.log.warn({ ...error }, 'definition rejected');
    }
    if (change.added.length + change.changed.length + change.removed.length === 0) return;
    this.pathNames.check([...now.tasks.values(), ...now.graphs.values()]);
    this.options.log.info({ ...change }, 'definitions changed');
    this.options.onChange?.(change);
  }
}

/** Resolves when all definitions are loaded and changes are watched. */
export async function openLibrary(options: LibraryOptions): Promise<DefinitionLibrary> {
  const library = await DefinitionLibrary.prepare(options);
  await library.load();
  return library;
}

const now = (): string => new Date().toISOString();

const sortByName = <T>(table: ReadonlyMap<string, T>): T[] =>
  [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
