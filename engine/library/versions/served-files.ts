/**
 * The version that each file was last served with, so that a file with a mistake does not take its definition away at a
 * restart. One for each daemon: the folders of another one may differ.
 */
import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../../platform/lib/private-file.ts';

export class ServedFiles {
  readonly #file: string;
  #json: string;
  /** Hashes by path. */
  #hashes: ReadonlyMap<string, string>;

  private constructor(file: string, json: string) {
    this.#file = file;
    this.#json = json;
    this.#hashes = new Map(JSON.parse(json) as [string, string][]);
  }

  /** Ignores an unreadable file: only a mistake at the next start needs it. */
  static async read(file: string): Promise<ServedFiles> {
    try {
      return new ServedFiles(file, await readFile(file, 'utf8'));
    } catch {
      return new ServedFiles(file, '[]');
    }
  }

  hashOf(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  /** Saves them atomically, if they have changed. */
  async save(hashes: ReadonlyMap<string, string>): Promise<void> {
    const json = JSON.stringify([...hashes]);
    if (json === this.#json) return;
    await writePrivateFile(this.#file, json);
    this.#json = json;
    this.#hashes = hashes;
  }
}
