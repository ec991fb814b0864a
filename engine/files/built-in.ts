/**
 * Built-in profiles: the files below `profiles/`. In the file store they are treated like all others: listed, read,
 * rendered, hidden by a pack's profile and replaced by a user's profile of the same name.
 *
 * 1. A user's profile is never replaced; deleting it restores the built-in one.
 * 2. A starting daemon replaces the built-in profiles of other versions by its own.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileName } from '../api-port/files.ts';
import { packagePath } from '../define/package-path.ts';
import type { FileStore, StoredFile } from './file-store.ts';

const folder = packagePath('engine/files/profiles');

async function* bytesOf(text: Uint8Array): AsyncGenerator<Uint8Array> {
  yield text;
}

const profile = (name: string): FileName => ({ kind: 'profile', name, scope: null });

export class BuiltIn {
  readonly #fileStore: FileStore;
  readonly #texts: ReadonlyMap<string, Uint8Array>;

  private constructor(fileStore: FileStore, texts: ReadonlyMap<string, Uint8Array>) {
    this.#fileStore = fileStore;
    this.#texts = texts;
  }

  /** Resolves when the profiles are in the file store. */
  static async open(fileStore: FileStore): Promise<BuiltIn> {
    const names = await readdir(folder);
    const read = async (name: string) => [name, await readFile(join(folder, name))] as const;
    const builtIn = new BuiltIn(fileStore, new Map(await Promise.all(names.map(read))));
    for (const [name, text] of builtIn.#texts) await builtIn.#place(name, text);
    return builtIn;
  }

  async #place(name: string, text: Uint8Array): Promise<void> {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const stays = (there: StoredFile) => there.builtIn !== true || there.sha256 === sha256;
    const there = await this.#fileStore.get(profile(name));
    if (there !== undefined && stays(there)) return;
    // The write checks again: another daemon or a user may write at the same time.
    await this.#fileStore.put(profile(name), bytesOf(text), { builtIn: true, stays });
  }

  /** @returns false when no profile of that name is built in */
  async restore(name: string): Promise<boolean> {
    const text = this.#texts.get(name);
    if (text === undefined) return false;
    await this.#fileStore.put(profile(name), bytesOf(text), { builtIn: true });
    return true;
  }
}
