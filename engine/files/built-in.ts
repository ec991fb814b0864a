/**
 * Profiles that every daemon brings: the files below `profiles/`. On the shelf they are files like all others: listed,
 * read, rendered, hidden by a pack's and replaced by a user's of the same name.
 *
 * 1. What a user put stays as that user wants it; when it is removed, what the daemon brings is there again.
 * 2. A daemon that starts puts what it brings in place of what another version of it had brought.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileName } from '../api-port/files.ts';
import { inPackage } from '../define/place.ts';
import type { Shelf, StoredFile } from './shelf.ts';

const folder = inPackage('engine/files/profiles');

async function* bytesOf(text: Uint8Array): AsyncGenerator<Uint8Array> {
  yield text;
}

const profile = (name: string): FileName => ({ kind: 'profile', name, scope: null });

export class BuiltIn {
  readonly #shelf: Shelf;
  readonly #texts: ReadonlyMap<string, Uint8Array>;

  private constructor(shelf: Shelf, texts: ReadonlyMap<string, Uint8Array>) {
    this.#shelf = shelf;
    this.#texts = texts;
  }

  /** They are on the shelf when this resolves. */
  static async open(shelf: Shelf): Promise<BuiltIn> {
    const names = await readdir(folder);
    const read = async (name: string) => [name, await readFile(join(folder, name))] as const;
    const builtIn = new BuiltIn(shelf, new Map(await Promise.all(names.map(read))));
    for (const [name, text] of builtIn.#texts) await builtIn.#place(name, text);
    return builtIn;
  }

  async #place(name: string, text: Uint8Array): Promise<void> {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const stays = (there: StoredFile) => there.builtIn !== true || there.sha256 === sha256;
    const there = await this.#shelf.get(profile(name));
    if (there !== undefined && stays(there)) return;
    // Looked at once more by the write: another daemon may start, and users put files, at the same time.
    await this.#shelf.put(profile(name), bytesOf(text), { builtIn: true, stays });
  }

  /** @returns false when no profile of that name is built in */
  async restore(name: string): Promise<boolean> {
    const text = this.#texts.get(name);
    if (text === undefined) return false;
    await this.#shelf.put(profile(name), bytesOf(text), { builtIn: true });
    return true;
  }
}
