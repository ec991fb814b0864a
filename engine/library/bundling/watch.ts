/**
 * Watches the definition folders and reports changed files, in batches.
 *
 * 1. A file is reported when its size has not changed for `STILL_MS`, so that partly written files are rarely read; one
 *    that was read too early is reported again after the next write.
 * 2. Files that start with `.` or `_`, tests, and type declarations are not definitions; their changes are still
 *    reported, because definitions may import them.
 */
import { access, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

const STILL_MS = 150;
const POLL_MS = 50;
/** Long enough to report a checkout or an unpacked archive as one change. */
const BATCH_MS = 50;

/** Those that cannot be read (`draft.ts`) are rejected, so that no file is ignored silently. */
const definition = /^[^._].*\.([cm]?[jt]s|[jt]sx|json)$/;
const notDefinition = /(\.d\.[cm]?ts|\.(test|types)\.[a-z]+)$/;

export const isDefinitionFile = (file: string): boolean =>
  definition.test(basename(file)) && !notDefinition.test(basename(file));

const isIgnored = (path: string) => /(^|[\\/])(node_modules|\.git)([\\/]|$)/.test(path);

/** Returns every definition file under the folder, sorted; none if the folder does not exist. */
export async function definitionFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files = entries.filter((entry) => entry.isFile()).map((entry) => resolve(join(entry.parentPath, entry.name)));
  return files.filter((file) => isDefinitionFile(file) && !isIgnored(file.slice(resolve(folder).length))).sort();
}

export const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

export class FolderWatch {
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

  /** Resolves when changes are watched. @param fail receives errors of the watcher */
  static async open(
    folders: readonly string[],
    tell: (files: ReadonlySet<string>) => void,
    fail: (error: unknown) => void,
  ): Promise<FolderWatch> {
    const inside = (path: string) => {
      const folder = folders.find((one) => path.startsWith(one));
      return isIgnored(folder === undefined ? path : path.slice(folder.length));
    };
    const watcher = watch([...folders], {
      ignored: inside,
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: STILL_MS, pollInterval: POLL_MS },
    });
    watcher.on('error', fail);
    const opened = new FolderWatch(watcher, tell);
    // Without folders, the watcher never becomes ready.
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
