/**
 * Watches the definition folders, and hands on which files changed, in batches.
 *
 * 1. A file counts when its size has been still for `STILL_MS`, so that a half-written one is rarely seen; one that
 *    was seen too early is reported again when the rest comes.
 * 2. Names that start with `.` or `_`, tests, and type declarations are no definitions; they still count as changed,
 *    because definitions may import them.
 */
import { access, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

const STILL_MS = 150;
const POLL_MS = 50;
/** Long enough to see a checkout or an unpacked archive as one change. */
const BATCH_MS = 50;

const definition = /^[^._].*\.(ts|mts|js|mjs|json)$/;
const notDefinition = /(\.d\.m?ts|\.(test|types)\.[a-z]+)$/;

export const isDefinitionFile = (file: string): boolean =>
  definition.test(basename(file)) && !notDefinition.test(basename(file));

const ignored = (path: string) => /(^|[\\/])(node_modules|\.git)([\\/]|$)/.test(path);

/** Every definition file under the folder, sorted; a folder that is not there has none. */
export async function definitionFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files = entries.filter((entry) => entry.isFile()).map((entry) => resolve(join(entry.parentPath, entry.name)));
  return files.filter((file) => isDefinitionFile(file) && !ignored(file.slice(resolve(folder).length))).sort();
}

export const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

export class Watch {
  private readonly watcher: FSWatcher;
  private readonly changed = new Set<string>();
  private readonly tell: (files: ReadonlySet<string>) => void;
  private timer: NodeJS.Timeout | undefined;

  private constructor(watcher: FSWatcher, tell: (files: ReadonlySet<string>) => void) {
    this.watcher = watcher;
    this.tell = tell;
    watcher.on('add', (file) => this.note(file));
    watcher.on('change', (file) => this.note(file));
    watcher.on('unlink', (file) => this.note(file));
  }

  /** Resolves when changes from now on will be told. @param fail gets errors of the watching itself */
  static async open(
    folders: readonly string[],
    tell: (files: ReadonlySet<string>) => void,
    fail: (error: unknown) => void,
  ): Promise<Watch> {
    const inside = (path: string) => {
      const folder = folders.find((one) => path.startsWith(one));
      return ignored(folder === undefined ? path : path.slice(folder.length));
    };
    const watcher = watch([...folders], {
      ignored: inside,
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: STILL_MS, pollInterval: POLL_MS },
    });
    watcher.on('error', fail);
    const opened = new Watch(watcher, tell);
    // Of no folders it never says that it is ready.
    if (folders.length > 0) await new Promise<void>((ready) => watcher.once('ready', () => ready()));
    return opened;
  }

  private note(file: string): void {
    this.changed.add(resolve(file));
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const files = new Set(this.changed);
      this.changed.clear();
      this.tell(files);
    }, BATCH_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.watcher.close();
  }
}
