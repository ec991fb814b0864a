/**
 * Every version of a definition that a workflow may have started with, so that the workflow finds its code after a
 * restart, also when the file has changed or gone.
 *
 * Owns: the collection `definitions`. Relies on: the store; `bundle.ts` to load a text again.
 *
 * 1. A version is saved before it is served, so that no workflow starts with one that is not kept.
 * 2. A graph that takes tasks from the library is saved with their versions, and those are saved too.
 * 3. A version goes when no workflow uses it and no daemon has served it for `IDLE_MS`.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import type { Collection, CollectionSpec, Document, Store } from '../store/port.ts';
import { load } from './bundle.ts';
import { type Candidate, compileGraph, compileTask } from './candidate.ts';
import { sha256 } from './hash.ts';
import type { Graph, Source, Task } from './types.ts';

/** Other daemons may serve a version that this one does not know; each touches its own when it prunes. */
const IDLE_MS = 86_400_000;
const PAGE = 500;

/** What is kept of one version. */
export interface Version extends Document {
  what: 'graph' | 'task';
  kind: 'machine' | 'list';
  name: string;
  /** A module, or JSON. */
  text: string;
  /** Tasks of the library that it uses: `[name, hash]`. Pairs, because names hold dots. */
  uses: [name: string, hash: string][];
  /** Where it came from; null: the API. */
  file: string | null;
  createdAt: string;
  servedAt: string;
}

export const definitionsSpec: CollectionSpec = { name: 'definitions', indexes: { servedAt: 'text' } };

export function versionOf(
  { what, body, source }: Candidate,
  name: string,
  hash: string,
  uses: Iterable<[string, string]>,
  at: string,
): Version {
  const file = source.kind === 'file' ? source.file : null;
  const text = body.kind === 'module' ? body.text : JSON.stringify(body.json);
  const kind = body.kind === 'module' ? 'machine' : 'list';
  return { id: hash, what, kind, name, text, uses: [...uses], file, createdAt: at, servedAt: at };
}

export class Archive {
  private readonly versions: Collection<Version>;
  private readonly cacheDir: string;
  /** Ids known to be stored: most saves are of versions that are there already. */
  private readonly saved = new Set<string>();

  private constructor(versions: Collection<Version>, cacheDir: string) {
    this.versions = versions;
    this.cacheDir = cacheDir;
  }

  static async open(store: Store, cacheDir: string): Promise<Archive> {
    return new Archive(await store.collection<Version>(definitionsSpec), cacheDir);
  }

  async save(versions: readonly Version[]): Promise<void> {
    const fresh = versions.filter(({ id }) => !this.saved.has(id));
    if (fresh.length === 0) return;
    await this.versions.insertMissing(fresh);
    for (const { id } of fresh) this.saved.add(id);
  }

  /** @throws NodewrightError DEFINITION_GONE */
  async graph(hash: string): Promise<Graph> {
    const version = await this.versions.get(hash);
    if (version === undefined || version.what !== 'graph') throw gone(hash, 'the archive does not have it');
    try {
      const all = await this.tasksOf(version, 0);
      const code = new Map(
        [...all].filter(([, { kind }]) => kind === 'machine').map(([name, { task }]) => [name, task]),
      );
      const any = new Map([...all].map(([name, { task }]) => [name, task]));
      const { made } = compileGraph(await this.candidate(version), { code, all: any });
      if (made.hash === hash) return made;
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'DEFINITION_GONE') throw error;
      throw gone(hash, `it does not load any more (${(error as Error).message})`, error);
    }
    throw gone(hash, 'it loads as another version');
  }

  private async tasksOf(version: Version, depth: number) {
    const found = new Map<string, { task: Task; kind: Version['kind'] }>();
    for (const [name, hash] of version.uses) {
      const kept = await this.versions.get(hash);
      // A JSON task uses a code task, which uses none: more than two levels cannot be.
      if (kept === undefined || depth > 2) throw gone(hash, `it is the task ${name}, which the archive does not have`);
      const under = await this.tasksOf(kept, depth + 1);
      const code = new Map([...under].map(([base, { task }]) => [base, task]));
      const { made } = compileTask(await this.candidate(kept), { code, all: code });
      found.set(name, { task: made, kind: kept.kind });
    }
    return found;
  }

  private async candidate({ what, kind, text, file }: Version): Promise<Candidate> {
    const source: Source = file === null ? { kind: 'api' } : { kind: 'file', file };
    if (kind === 'list') return { what, body: { kind: 'json', json: JSON.parse(text) }, source };
    const hash = sha256(text);
    const exported = await load({ text, hash, inputs: [], map: '' }, this.cacheDir);
    return { what, body: { kind: 'module', text, hash, exported }, source };
  }

  /** @param served versions that this daemon serves now. @param inUse those that workflows are pinned to */
  async prune(served: ReadonlySet<string>, inUse: ReadonlySet<string>, now = Date.now()): Promise<number> {
    const servedAt = new Date(now).toISOString();
    for (const id of served) await this.versions.update({ id }, { $set: { servedAt } });
    const idle = { servedAt: { $lt: new Date(now - IDLE_MS).toISOString() } };
    const kept = new Set<string>([...served, ...(await this.closure(inUse))]);
    const old: string[] = [];
    for (let skip = 0; ; skip += PAGE) {
      const page = await this.versions.find(idle, { sort: { id: 1 }, skip, limit: PAGE });
      old.push(...page.map(({ id }) => id).filter((id) => !kept.has(id)));
      if (page.length < PAGE) break;
    }
    for (const id of old) this.saved.delete(id);
    const removed = old.length === 0 ? 0 : await this.versions.remove({ id: { $in: old }, ...idle });
    await this.sweepTexts(now);
    return removed;
  }

  private async closure(inUse: ReadonlySet<string>): Promise<Set<string>> {
    const all = new Set(inUse);
    // A set's iteration also visits what is added on the way.
    for (const id of all) {
      const version = await this.versions.get(id);
      for (const [, hash] of version?.uses ?? []) all.add(hash);
    }
    return all;
  }

  /** Texts are needed on disk only while they load; an hour leaves room for the slowest. */
  private async sweepTexts(now: number): Promise<void> {
    const names = await readdir(this.cacheDir).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.mjs'))) {
      const file = join(this.cacheDir, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
      if (mtimeMs < now - 3_600_000) await rm(file, { force: true });
    }
  }
}

const gone = (hash: string, why: string, cause?: unknown) =>
  new NodewrightError(
    'DEFINITION_GONE',
    `found no definition with hash ${hash}: ${why}; expected the version that the workflow started with. ` +
      'Bring back that version of the file (with its tasks), or cancel the workflow and start it again',
    { cause },
  );
