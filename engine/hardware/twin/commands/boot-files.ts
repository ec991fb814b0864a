/** Files that commands make in the memory of a microkernel: they are lost at the next boot. A twin has no folders. */
import { createHash } from 'node:crypto';
import type { SouthAnswer } from '../machine/twin-machine.ts';

interface BootFile {
  /** Its first characters. */
  text: string;
  md5: string;
}

const [FILE_LIMIT, TEXT_LIMIT] = [64, 262_144];

export class BootFiles {
  readonly #files = new Map<string, BootFile>();

  /** The oldest file is forgotten when there are too many. */
  put(path: string, text: string): void {
    const name = fileNameIn(path);
    this.#files.delete(name);
    this.#files.set(name, { text: text.slice(0, TEXT_LIMIT), md5: createHash('md5').update(text).digest('hex') });
    const [oldest] = this.#files.keys();
    if (this.#files.size > FILE_LIMIT && oldest !== undefined) this.#files.delete(oldest);
  }

  at(path: string): BootFile | undefined {
    return this.#files.get(fileNameIn(path));
  }

  /** @returns false: there is none */
  move(from: string, to: string): boolean {
    const file = this.at(from);
    if (file === undefined) return false;
    this.#files.delete(fileNameIn(from));
    this.#files.set(fileNameIn(to), file);
    return true;
  }
}

/** The last segment of a path or a URL. */
export const fileNameIn = (path: string): string => path.split(/[?#]/)[0]?.split('/').at(-1) ?? '';

/** Whether the daemon has the file with this MD5, as its answer says: the digest in quotes. */
export const hasDigest = (file: BootFile | undefined, { text }: SouthAnswer): boolean =>
  text.trim() === `"${file?.md5}"`;
