/**
 * Every version of a definition that a workflow may have started with, so that the workflow finds its code after a
 * restart, even if the file has been changed or deleted.
 *
 * Owns: the collection `definitions`. Relies on: the store; `bundle.ts` to load a stored module again; `served-files.ts`
 * for the versions of files that have become invalid.
 *
 * 1. A version is saved before it is served, so that every workflow starts with a stored version.
 * 2. A graph that uses tasks of the library is saved with their versions, and those are saved too.
 * 3. No version is deleted: an ended workflow can be retried on its own, and its machine can be drawn.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byIds, pages, picking } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { load } from '../bundling/bundle.ts';
import { textsIn } from '../bundling/text-folder.ts';
import { sha256 } from '../options/hash.ts';
import type { Authorship, Graph, Source, Task } from '../types.ts';
import { compileGraph, compileTask, type Draft } from './draft.ts';
import { ServedFiles } from './served-files.ts';
import { plainName } from './sku-definitions.ts';

/** ms; enough for the slowest import of a module's text. */
const TEXT_MS = HOUR_MS;

/** One stored version. */
export interface Version extends Document {
  what: 'graph' | 'task';
  kind: 'machine' | 'list';
  name: string;
  /** A module, or JSON. */
  text: string;
  /** The library's tasks that it uses: `[name, hash]`. Pairs, because names contain dots. */
  uses: [name: string, hash: string][];
  /** Its file; null: put through the API. */
  file: string | null;
  /** The first user who put it. */
  put?: Authorship;
  /** ISO 8601: when it was first served. */
  createdAt: string;
}

export const definitionsSpec: CollectionSpec = {
  name: 'definitions',
  indexes: { name: 'text', what: 'text', createdAt: 'text', file: 'text' },
};

export function versionOf(
  { what, body, source }: Draft,
  name: string,
  hash: string,
  uses: Iterable<[string, string]>,
  at: string,
): Version {
  const file = source.kind === 'file' ? source.file : null;
  const text = body.kind === 'module' ? body.text : JSON.stringify(body.json);
  const kind = body.kind === 'module' ? 'machine' : 'list';
  const put = source.kind === 'file' ? undefined : source.put;
  return { id: hash, what, kind, name, text, uses: [...uses], file, ...(put && { put }), createdAt: at };
}

export class Archive {
  private readonly versions: Collection<Version>;
  private readonly cacheDir: string;
  /** Ids known to be stored: most saves repeat existing versions. */
  private readonly saved = new Set<string>();

  private readonly servedFiles: ServedFiles;

  private constructor(versions: Collection<Version>, cacheDir: string, servedFiles: ServedFiles) {
    this.versions = versions;
    this.cacheDir = cacheDir;
    this.servedFiles = servedFiles;
  }

  static async open(store: Store, cacheDir: string): Promise<Archive> {
    const servedFiles = await ServedFiles.read(join(cacheDir, 'served.json'));
    return new Archive(await store.collection<Version>(definitionsSpec), cacheDir, servedFiles);
  }

  /** @param versions all that will be served; those for SKUs come last */
  async save(versions: readonly Version[]): Promise<void> {
    await this.saveTexts(versions);
    const hashes = versions.flatMap(({ file, id }): [string, string][] => (file === null ? [] : [[file, id]]));
    // It is optional: a full disk, for example, rejects no definition.
    await this.servedFiles.save(new Map(hashes.reverse())).catch(() => {});
  }

  /** Sends only what no daemon has saved: the texts of a whole library are megabytes, at each start. */
  private async saveTexts(versions: readonly Version[]): Promise<void> {
    const unsaved = versions.filter(({ id }) => !this.saved.has(id));
    if (unsaved.length === 0) return;
    const ids = unsaved.map(({ id }) => id);
    const stored = new Set((await byIds(picking<Version, never>(this.versions, []), ids)).map(({ id }) => id));
    const missing = unsaved.filter(({ id }) => !stored.has(id));
    if (missing.length > 0) await this.versions.insertMissing(missing);
    for (const id of ids) this.saved.add(id);
  }

  /** Returns the version that this daemon last served from the file, if it can still be loaded. */
  async lastOf(file: string): Promise<Draft | undefined> {
    const hash = this.servedFiles.hashOf(file);
    const version = hash === undefined ? undefined : await this.versions.get(hash);
    return version && this.draft(version).catch(() => undefined);
  }

  /** @throws NodewrightError DEFINITION_GONE */
  async graph(hash: string): Promise<Graph> {
    const version = await this.versions.get(hash);
    if (version === undefined || version.what !== 'graph') throw goneError(hash, 'it is not in the archive');
    try {
      const all = await this.tasksOf(version, 0);
      const code = new Map(
        [...all].filter(([, { kind }]) => kind === 'machine').map(([name, { task }]) => [name, task]),
      );
      const any = new Map([...all].map(([name, { task }]) => [name, task]));
      const { made } = compileGraph(await this.draft(version), { code, all: any });
      if (made.hash === hash) return made;
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'DEFINITION_GONE') throw error;
      throw goneError(hash, `it cannot be loaded any more (${messageOf(error)})`, error);
    }
    throw goneError(hash, 'its text now compiles to another version');
  }

  /** Returns the stored versions of a graph, newest first. */
  async versionsOf(name: string): Promise<Pick<Version, 'id' | 'createdAt' | 'file'>[]> {
    const pickedVersions = picking<Version, 'createdAt' | 'file'>(this.versions, ['createdAt', 'file']);
    const all: Pick<Version, 'id' | 'createdAt' | 'file'>[] = [];
    for await (const version of pages(pickedVersions, { what: 'graph', name })) all.push(version);
    return all.sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
  }

  /** Returns where a stored version came from first. */
  async sourceOf(hash: string): Promise<Source | undefined> {
    const version = await this.versions.get(hash);
    return version && sourceOf(version);
  }

  private async tasksOf(version: Version, depth: number) {
    const tasksByHash = new Map<string, { task: Task; kind: Version['kind'] }>();
    for (const [name, hash] of version.uses) {
      const stored = await this.versions.get(hash);
      // A JSON task uses a code task, which uses none: there are at most two levels.
      if (stored === undefined || depth > 2)
        throw goneError(hash, `it is the task ${name}, which is not in the archive`);
      const under = await this.tasksOf(stored, depth + 1);
      const code = new Map([...under].map(([base, { task }]) => [base, task]));
      const { made } = compileTask(await this.draft(stored), { code, all: code });
      tasksByHash.set(name, { task: made, kind: stored.kind });
    }
    return tasksByHash;
  }

  private async draft({ what, kind, name, text, file, put }: Version): Promise<Draft> {
    const source = sourceOf({ file, put });
    if (kind === 'list') return { what, body: { kind: 'json', json: JSON.parse(text) }, source };
    const hash = sha256(text);
    const exported = await load({ text, hash, inputs: [], map: '' }, this.cacheDir);
    return { what, body: { kind: 'module', text, hash, exported }, source, byPath: plainName(name) };
  }

  /** Deletes old module files of this process, which are needed only during their import. */
  async sweep(now = Date.now()): Promise<void> {
    const names = await readdir(textsIn(this.cacheDir)).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.mjs'))) {
      const file = join(textsIn(this.cacheDir), name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
      if (mtimeMs < now - TEXT_MS) await rm(file, { force: true });
    }
  }
}

const sourceOf = ({ file, put }: Pick<Version, 'file'> & { put?: Authorship | undefined }): Source =>
  file === null ? { kind: 'api', put } : { kind: 'file', file };

const goneError = (hash: string, why: string, cause?: unknown) =>
  new NodewrightError(
    'DEFINITION_GONE',
    `found no definition with hash ${hash}: ${why}; expected the version that the workflow started with. ` +
      'Restore that version of the file (with its tasks), or cancel the workflow and launch it again',
    { cause },
  );
