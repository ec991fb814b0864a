/**
 * The file store: templates, profiles and files for all nodes or for one SKU. Records reference blobs; a record is
 * changed by compare-and-set, and blobs that it no longer references are deleted.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { FileCondition, FileKind, FileName, FileRecord } from '../../api-port/files.ts';
import type { Page, PagedList } from '../../api-port/index.ts';
import { pages } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Content } from '../skus/stored-sku.ts';
import type { Blobs } from './blobs.ts';
import type { Cache } from './cache.ts';
import { type ServedFile, store } from './served-folder.ts';

export interface StoredFile extends FileRecord {
  /** Kind, scope and name. */
  id: string;
  kind: FileKind;
  /** Whether it is built in (`built-in.ts`). */
  builtIn?: boolean;
}

export interface Put {
  builtIn?: boolean;
  /** Whether the existing file is kept instead. */
  stays?(there: StoredFile): boolean;
  /** Checked before the bytes are read, and again by the write. */
  condition?: FileCondition | undefined;
}

export const fileSpec: CollectionSpec = {
  name: 'files',
  indexes: {
    kind: 'text',
    name: 'text',
    scope: 'text',
    md5: 'text',
    sha256: 'text',
    content: 'text',
    createdAt: 'text',
    updatedAt: 'text',
  },
};

/** More writes than this to one name in quick succession are a mistake of the client. */
const WRITE_TRIES = 20;
/** Number of tries to fetch a file that is being replaced. */
const FETCHES = 3;

const idOf = ({ kind, name, scope }: FileName): string =>
  scope === null ? `${kind}:${name}` : `${kind}@${scope}:${name}`;

export class FileStore {
  readonly #stored: Collection<StoredFile>;
  readonly #blobs: Blobs;
  readonly #cache: Cache;

  constructor(stored: Collection<StoredFile>, blobs: Blobs, cache: Cache) {
    this.#stored = stored;
    this.#blobs = blobs;
    this.#cache = cache;
  }

  async list(kind: FileKind, { filter, ...page }: Page): Promise<PagedList<FileRecord>> {
    const all = { $and: [{ kind }, filter] };
    return {
      items: await this.#stored.find(all, { ...page, sort: page.sort ?? { name: 1 } }),
      total: await this.#stored.count(all),
    };
  }

  get(file: FileName): Promise<StoredFile | undefined> {
    return this.#stored.get(idOf(file));
  }

  async nameOfContent(kind: FileKind, content: string): Promise<FileName | undefined> {
    return (await this.#stored.find({ kind, content }, { limit: 1 }))[0];
  }

  /** Spools to disk first: an upload may take hours, but a blob must be referenced soon after its start. */
  async put(file: FileName, bytes: AsyncIterable<Uint8Array>, how: Put = {}): Promise<StoredFile> {
    how.condition?.(await this.get(file));
    return this.#cache.draft(async (folder) => {
      await store(folder, 0, bytes);
      return this.#blobs.keep(createReadStream(join(folder, '0')), (content) => this.#refer(file, content, how));
    });
  }

  async #refer(of: FileName, { id: content, ...measured }: Content, how: Put): Promise<StoredFile> {
    const stored = this.#stored;
    const { builtIn = false, stays = () => false } = how;
    const { kind, name, scope } = of;
    const id = idOf(of);
    for (let tries = 0; tries < WRITE_TRIES; tries += 1) {
      const now = new Date().toISOString();
      const before = await stored.get(id);
      how.condition?.(before);
      if (before === undefined) {
        const file = { id, kind, name, scope, content, ...measured, builtIn, createdAt: now, updatedAt: now };
        if (await insertFile(stored, file)) return file;
        continue;
      }
      if (stays(before)) {
        await this.#forget({ content });
        return before;
      }
      const $set = { content, ...measured, builtIn, updatedAt: now };
      const file = await stored.update({ id, content: before.content }, { $set });
      if (file === undefined) continue;
      await this.#forget(before);
      return file;
    }
    throw contendedError(of);
  }

  async remove(file: FileName, condition?: FileCondition): Promise<boolean> {
    const stored = this.#stored;
    for (let tries = 0; tries < WRITE_TRIES; tries += 1) {
      const before = await this.get(file);
      if (before === undefined) return false;
      condition?.(before);
      if ((await stored.remove({ id: before.id, content: before.content })) === 0) continue;
      await this.#forget(before);
      return true;
    }
    throw contendedError(file);
  }

  /** Deletes a blob; if that fails, the sweep deletes it later. */
  async #forget({ content }: Pick<StoredFile, 'content'>): Promise<void> {
    await this.#blobs.forget(content).catch(() => {});
  }

  async open(name: FileName): Promise<ServedFile | undefined> {
    for (let fetches = 1; ; fetches += 1) {
      const file = await this.get(name);
      if (file === undefined) return undefined;
      try {
        return await this.#fetchFile(file);
      } catch (error) {
        // The file was replaced in the meantime.
        if (!(error instanceof NodewrightError) || error.code !== 'NOT_FOUND' || fetches === FETCHES) throw error;
      }
    }
  }

  #fetchFile({ content: id, size, sha256 }: StoredFile): Promise<ServedFile | undefined> {
    const [cache, blobs] = [this.#cache, this.#blobs];
    const bytes = () => blobs.read({ id, size, sha256 });
    return cache.file(id, '', async (folder) => new Map([['', await store(folder, 0, bytes())]]));
  }

  /** Yields the ids of the blobs that files reference. */
  async *referencedBlobs(): AsyncGenerator<string> {
    for await (const { content } of pages(this.#stored, {})) yield content;
  }
}

const contendedError = ({ name }: FileName) =>
  new NodewrightError('UNAVAILABLE', `${name} is being modified concurrently; retry`);

async function insertFile(stored: Collection<StoredFile>, file: StoredFile): Promise<boolean> {
  try {
    await stored.insert(file);
    return true;
  } catch (error) {
    if (error instanceof DuplicateError) return false;
    throw error;
  }
}
