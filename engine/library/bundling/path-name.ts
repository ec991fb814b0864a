/**
 * The name of a definition and the path of its file agree: `graphs/drive-secure-erase.ts` is `Graph.Drive.SecureErase`.
 * Case and separators do not count, folders are words like others, and a file may leave out leading parts of the name:
 * `burn-in.ts`, or `acme/burn-in.ts`, for `Graph.Acme.BurnIn`.
 *
 * A machine without a name of its own, such as a drawn one, gets its name from the path: folders and dots begin a part
 * of the name, other separators a word in it. `acme/burn-in.ts` is `Graph.Acme.BurnIn`, `acme-burn-in.ts` is
 * `Graph.AcmeBurnIn`.
 */
import { extname, relative, resolve } from 'node:path';
import type { Graph, LibraryLog, Task } from '../types.ts';

/** The code of the warning. The definition is served: RackHD's files, and those of authors so far, have other names. */
export const NAME_NOT_PATH = 'NAME_NOT_PATH';

const plainName = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** @param path of the file below its folder @param name such as `Graph.Drive.SecureErase` */
export function agrees(path: string, name: string): boolean {
  const [, ...parts] = name.split('.');
  const given = plainName(path.slice(0, path.length - extname(path).length));
  return parts.some((_, at) => plainName(parts.slice(at).join('')) === given);
}

/** Returns the path that the project's own files would have for the name, without its ending. */
export function pathFor(name: string): string {
  const words = name.slice(name.indexOf('.') + 1).replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return words.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
}

/** Returns the name of a graph by its file. @param path below its folder @returns undefined: it has no letters */
export function nameFor(path: string): string | undefined {
  const parts = path
    .slice(0, path.length - extname(path).length)
    .split(/[/\\.]+/)
    .map(withCapital)
    .filter((part) => part !== '');
  return parts.length === 0 ? undefined : ['Graph', ...parts].join('.');
}

const withCapital = (part: string): string =>
  part
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** The paths of files below the folders; warns once about each file whose path does not agree with its name. */
export class PathNames {
  readonly #folders: readonly string[];
  readonly #log: LibraryLog;
  #reportedKeys: ReadonlySet<string> = new Set();

  constructor(folders: readonly string[], log: LibraryLog) {
    this.#folders = folders.map((folder) => resolve(folder));
    this.#log = log;
  }

  /** @param definitions all that are served */
  check(definitions: readonly Pick<Graph | Task, 'name' | 'source'>[]): void {
    const misnamedDefinitions = definitions.filter(
      ({ name, source }) => source.kind === 'file' && !this.#agrees(source.file, name),
    );
    const files = misnamedDefinitions.flatMap(({ name, source }) =>
      source.kind === 'file' ? [{ name, file: source.file }] : [],
    );
    for (const { name, file } of files.filter((one) => !this.#reportedKeys.has(keyOf(one)))) {
      const expected = `${pathFor(name)}${extname(file)}`;
      const advice = `the path does not agree with the name; rename the file to ${expected}, or the definition`;
      this.#log.warn({ code: NAME_NOT_PATH, file, found: name, expected }, advice);
    }
    this.#reportedKeys = new Set(files.map(keyOf));
  }

  /** Returns the name of a graph that has none of its own. */
  nameOf(file: string): string | undefined {
    const path = this.#pathOf(file);
    return path && nameFor(path);
  }

  #agrees(file: string, name: string): boolean {
    const path = this.#pathOf(file);
    return path === undefined || agrees(path, name);
  }

  #pathOf(file: string): string | undefined {
    const folder = this.#folders.find((one) => file.startsWith(`${one}/`));
    return folder && relative(folder, file);
  }
}

const keyOf = ({ name, file }: { name: string; file: string }): string => `${file} ${name}`;
