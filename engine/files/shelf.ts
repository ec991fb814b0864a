/**
 * The shelf: templates, profiles and files that are for all nodes. Their records are in the store, their bytes are
 * contents there; a record is changed by compare-and-set, and what it does not refer to any more goes.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { FileKind, FileName, FileRecord } from '../api-port/files.ts';
import { NodewrightError } from '../define/errors.ts';
import { pages } from '../runtime/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../store/port.ts';
import type { Cache } from './cache.ts';
import type { Content, Contents } from './contents.ts';
import { type ServedFile, store } from './served.ts';

export interface StoredFile extends FileRecord {
  /** Its kind, scope and name. */
  id: string;
  kind: FileKind;
  /** The content's id. */
  content: string;
  /** Brought by the daemon (`built-in.ts`). */
  builtIn?: boolean;
}

export interface Put {
  builtIn?: boolean;
  /** Whether what is there stays instead. */
  stays?(there: StoredFile): boolean;
}

export const fileSpec: CollectionSpec = {
  name: 'files',
  indexes: {
    kind: 'text',
    name: 'text',
    scope: 'text',
    md5: 'text',
    sha256: 'text',
    createdAt: 'text',
    updatedAt: 'text',
  },
};

export interface ShelfPort {
  stored: Collection<StoredFile>;
  contents: Contents;
  cache: Cache;
}

/** Several that put one name at the same time: more than that, one after the other, is somebody's mistake. */
const TRIES = 20;
/** How often a file may be replaced while it is fetched. */
const FETCHES = 3;

const idOf = ({ kind, name, scope }: FileName): string =>
  scope === null ? `${kind}:${name}` : `${kind}@${scope}:${name}`;

export class Shelf {
  readonly #port: ShelfPort;

  constructor(port: ShelfPort) {
    this.#port = port;
  }

  get(file: FileName): Promise<StoredFile | undefined> {
    return this.#port.stored.get(idOf(file));
  }

  /** Through the disk: who sends it may take hours, and what is written to the store is referred to soon. */
  put(file: FileName, bytes: AsyncIterable<Uint8Array>, how: Put = {}): Promise<StoredFile> {
    const { cache, contents } = this.#port;
    return cache.draft(async (folder) => {
      await store(folder, 0, bytes);
      return contents.keep(createReadStream(join(folder, '0')), (content) => this.#refer(file, content, how));
    });
  }

  async #refer(of: FileName, { id: content, ...measured }: Content, how: Put): Promise<StoredFile> {
    const { stored } = this.#port;
    const { builtIn = false, stays = () => false } = how;
    const { kind, name, scope } = of;
    const id = idOf(of);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const now = new Date().toISOString();
      const before = await stored.get(id);
      if (before === undefined) {
        const file = { id, kind, name, scope, content, ...measured, builtIn, createdAt: now, updatedAt: now };
        if (await inserted(stored, file)) return file;
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
    throw contended(of);
  }

  async remove(file: FileName): Promise<boolean> {
    const { stored } = this.#port;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await this.get(file);
      if (before === undefined) return false;
      if ((await stored.remove({ id: before.id, content: before.content })) === 0) continue;
      await this.#forget(before);
      return true;
    }
    throw contended(file);
  }

  /** What is left when it fails is swept. */
  async #forget({ content }: Pick<StoredFile, 'content'>): Promise<void> {
    await this.#port.contents.forget(content).catch(() => {});
  }

  async open(name: FileName): Promise<ServedFile | undefined> {
    for (let fetches = 1; ; fetches += 1) {
      const file = await this.get(name);
      if (file === undefined) return undefined;
      try {
        return await this.#fetched(file);
      } catch (error) {
        // Replaced in between.
        if (!(error instanceof NodewrightError) || error.code !== 'NOT_FOUND' || fetches === FETCHES) throw error;
      }
    }
  }

  #fetched({ content: id, size, sha256 }: StoredFile): Promise<ServedFile | undefined> {
    const { cache, contents } = this.#port;
    const bytes = () => contents.read({ id, size, sha256 });
    return cache.file(id, '', async (folder) => new Map([['', await store(folder, 0, bytes())]]));
  }

  /** The contents that files refer to. */
  async *referred(): AsyncGenerator<string> {
    for await (const { content } of pages(this.#port.stored, {})) yield content;
  }
}

const contended = ({ name }: FileName) =>
  new NodewrightError('UNAVAILABLE', `${name} is being modified concurrently; retry`);

async function inserted(stored: Collection<StoredFile>, file: StoredFile): Promise<boolean> {
  try {
    await stored.insert(file);
    return true;
  } catch (error) {
    if (error instanceof DuplicateError) return false;
    throw error;
  }
}
