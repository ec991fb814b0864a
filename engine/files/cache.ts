/**
 * What this daemon has on its own disk of the contents in the store, one folder for each. Only a cache: it may be
 * removed while no daemon runs.
 *
 * 1. A folder has its name only when it is whole: it is filled under another one and then renamed.
 * 2. What an earlier process left is checked against its checksums before it is first used.
 * 3. A folder that no record refers to any more goes (`prune`); a file that is being sent is still sent to its end.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import { Lru } from '../lib/lru.ts';
import { fileIn, type Index, readIndex, type ServedFile, writeIndex } from './served.ts';

/** Indexes in memory; one of a large pack has some megabytes. */
const INDEXES = 50;

/** Writes the files of a content into an empty folder. */
export type Fill = (folder: string) => Promise<Index>;

export class Cache {
  readonly #folder: string;
  readonly #drafts: string;
  readonly #indexes = new Lru<Index>(INDEXES);
  readonly #underWay = new Map<string, Promise<Index>>();

  private constructor(folder: string) {
    this.#folder = join(folder, 'contents');
    this.#drafts = join(folder, 'drafts');
  }

  /** @param folder nobody else's; what was being filled when an earlier process ended is removed */
  static async open(folder: string): Promise<Cache> {
    const cache = new Cache(folder);
    await rm(cache.#drafts, { recursive: true, force: true });
    for (const path of [cache.#folder, cache.#drafts]) await mkdir(path, { recursive: true });
    return cache;
  }

  /** A folder for what is not finished, gone afterwards. */
  async draft<T>(use: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(this.#drafts, randomUUID());
    try {
      await mkdir(folder);
      return await use(folder);
    } catch (error) {
      throw noRoom(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * @param content its id
   * @param name as the content's index has it
   * @returns undefined when the content has no such file
   */
  async file(content: string, name: string, fill: Fill): Promise<ServedFile | undefined> {
    const stored = (await this.#index(content, fill)).get(name);
    return stored && fileIn(join(this.#folder, content), stored);
  }

  /** Everybody who asks for a content while it is fetched waits for the same. */
  #index(content: string, fill: Fill): Promise<Index> {
    const known = this.#indexes.get(content);
    if (known !== undefined) return Promise.resolve(known);
    const underWay = this.#underWay.get(content) ?? this.#open(content, fill);
    this.#underWay.set(content, underWay);
    return underWay.finally(() => this.#underWay.delete(content));
  }

  async #open(content: string, fill: Fill): Promise<Index> {
    const folder = join(this.#folder, content);
    const index = (await readIndex(folder)) ?? (await this.draft((draft) => this.#fill(content, draft, fill)));
    this.#indexes.set(content, index);
    return index;
  }

  async #fill(content: string, draft: string, fill: Fill): Promise<Index> {
    const folder = join(this.#folder, content);
    const index = await fill(draft);
    await writeIndex(draft, index);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return index;
  }

  /** @param referred found out when it is called: what is fetched after that stays */
  async prune(referred: () => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await readdir(this.#folder);
    const inUse = names.length === 0 ? new Set() : await referred();
    for (const name of names.filter((one) => !inUse.has(one))) {
      this.#indexes.delete(name);
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** Whoever fetches something finishes it, or finds that it cannot. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }
}

function noRoom(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return error;
  const message = 'the disk of the data directory is full; make room on it';
  return new NodewrightError('UNAVAILABLE', message, { cause: error });
}
