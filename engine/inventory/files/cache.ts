/**
 * Caches stored contents on this daemon's disk, in one folder per content. It may be deleted while no daemon runs.
 *
 * 1. A folder has its final name only when it is complete: it is filled under another name and then renamed.
 * 2. Folders of an earlier process are verified by their checksums before their first use.
 * 3. A folder that no record refers to is deleted (`prune`); a file that is being sent is still sent completely.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { fileIn, type Index, readIndex, type ServedFile, writeIndex } from './served-folder.ts';

/** Limit of indexes in memory; that of a large pack takes some megabytes. */
const INDEXES = 50;

/** Writes the files of a content into an empty folder. */
export type Fill = (folder: string) => Promise<Index>;

export class Cache {
  readonly #folder: string;
  readonly #drafts: string;
  readonly #indexes = new LRUCache<string, Index>({ max: INDEXES });
  readonly #underWay = new Map<string, Promise<Index>>();

  private constructor(folder: string) {
    this.#folder = join(folder, 'contents');
    this.#drafts = join(folder, 'drafts');
  }

  /** @param folder exclusively owned; unfinished drafts of an earlier process are deleted */
  static async open(folder: string): Promise<Cache> {
    const cache = new Cache(folder);
    await rm(cache.#drafts, { recursive: true, force: true });
    for (const path of [cache.#folder, cache.#drafts]) await mkdir(path, { recursive: true });
    return cache;
  }

  /** Provides a temporary folder, deleted afterwards. */
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
   * @param name as in the content's index
   * @returns undefined if the content has no such file
   */
  async file(content: string, name: string, fill: Fill): Promise<ServedFile | undefined> {
    const stored = (await this.#index(content, fill)).get(name);
    return stored && fileIn(join(this.#folder, content), stored);
  }

  /** Concurrent requests for a content share one fetch. */
  #index(content: string, fill: Fill): Promise<Index> {
    const cachedIndex = this.#indexes.get(content);
    if (cachedIndex !== undefined) return Promise.resolve(cachedIndex);
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

  /** @param referenced called after listing the folders, so that contents fetched later are kept */
  async prune(referenced: () => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await readdir(this.#folder);
    const inUse = names.length === 0 ? new Set() : await referenced();
    for (const name of names.filter((one) => !inUse.has(one))) {
      this.#indexes.delete(name);
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** Waits for running fetches to succeed or fail. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }
}

function noRoom(error: unknown): unknown {
  if (codeOf(error) !== 'ENOSPC') return error;
  const message = 'the disk of the data directory is full; free some space';
  return new NodewrightError('UNAVAILABLE', message, { cause: error });
}
