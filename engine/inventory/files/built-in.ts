/**
 * Built-in profiles and templates: the files below `profiles/` and `templates/`. In the file store they are treated like
 * all others: listed, read, rendered, hidden by those of a pack and replaced by a user's of the same name.
 *
 * 1. A user's file is never replaced; deleting it restores the built-in one.
 * 2. A starting daemon replaces the built-in files of other versions by its own.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileCondition, FileName } from '../../api-port/files.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import type { FileStore, StoredFile } from './file-store.ts';

type Kind = 'profile' | 'template';

const folders: Record<Kind, string> = {
  profile: packagePath('engine/inventory/files/profiles'),
  template: packagePath('engine/inventory/files/templates'),
};

async function* bytesOf(text: Uint8Array): AsyncGenerator<Uint8Array> {
  yield text;
}

const fileOf = (kind: Kind, name: string): FileName => ({ kind, name, scope: null });

interface OwnFile {
  kind: Kind;
  name: string;
  text: Buffer;
  sha256: string;
}

const filesOf = async (kind: Kind): Promise<OwnFile[]> => {
  const names = await readdir(folders[kind]);
  return Promise.all(names.map((name) => readOwn(kind, name)));
};

async function readOwn(kind: Kind, name: string): Promise<OwnFile> {
  const text = await readFile(join(folders[kind], name));
  return { kind, name, text, sha256: createHash('sha256').update(text).digest('hex') };
}

/** Returns the profiles and templates of this daemon's own package. */
export const includedFiles = async (): Promise<OwnFile[]> => [
  ...(await filesOf('profile')),
  ...(await filesOf('template')),
];

export class BuiltIn {
  readonly #fileStore: FileStore;
  readonly #files: readonly OwnFile[];
  /** By SHA-256. */
  readonly #texts: ReadonlyMap<string, string>;

  private constructor(fileStore: FileStore, files: readonly OwnFile[]) {
    this.#fileStore = fileStore;
    this.#files = files;
    this.#texts = new Map(files.map(({ sha256, text }) => [sha256, text.toString()]));
  }

  /** Resolves when the files are in the file store. */
  static async open(fileStore: FileStore): Promise<BuiltIn> {
    const files = await includedFiles();
    const builtIn = new BuiltIn(fileStore, files);
    for (const file of files) await builtIn.#place(file);
    return builtIn;
  }

  async #place({ kind, name, text, sha256 }: OwnFile): Promise<void> {
    const stays = (there: StoredFile) => there.builtIn !== true || there.sha256 === sha256;
    const there = await this.#fileStore.get(fileOf(kind, name));
    if (there !== undefined && stays(there)) return;
    // The write checks again: another daemon or a user may write at the same time.
    await this.#fileStore.put(fileOf(kind, name), bytesOf(text), { builtIn: true, stays });
  }

  /** Whether a file of that kind and name is built in, with other bytes. */
  isReplaced({ kind, name }: FileName, sha256: string): boolean {
    const ownFile = this.#files.find((file) => file.kind === kind && file.name === name);
    return ownFile !== undefined && ownFile.sha256 !== sha256;
  }

  /** Returns the text of the file of this daemon's own package that has these bytes, whatever its name in the file store. */
  includedText(sha256: string): string | undefined {
    return this.#texts.get(sha256);
  }

  /** @returns false when no file of that kind and name is built in */
  async restore({ kind, name, scope }: FileName, condition?: FileCondition): Promise<boolean> {
    const ownFile = this.#files.find((file) => file.kind === kind && file.name === name);
    if (ownFile === undefined || scope !== null) return false;
    await this.#fileStore.put(fileOf(ownFile.kind, name), bytesOf(ownFile.text), { builtIn: true, condition });
    return true;
  }
}
