/** A library of definitions on folders of a test, whose files change. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Change } from '../../../engine/library/versions/change.ts';
import { type DefinitionLibrary, openLibrary } from '../../../engine/library/versions/library.ts';
import { folder } from '../ava/folder.ts';
import { MemoryStore } from './memory-store.ts';

/** Folders for this test, and a library that is closed when the test ends. */
export class LibraryBench {
  readonly dir: string;
  readonly included: readonly string[];
  readonly store = new MemoryStore();
  library!: DefinitionLibrary;
  private waiting: { seen: () => boolean; done: () => void }[] = [];

  private constructor(dir: string, included: readonly string[]) {
    this.dir = dir;
    this.included = included.map((folder) => join(dir, folder));
  }

  /** @param included folders of definitions that come with nodewright */
  static async make(
    t: ExecutionContext,
    files: Record<string, string> = {},
    included: string[] = [],
  ): Promise<LibraryBench> {
    const bench = new LibraryBench(folder(t), included);
    await mkdir(join(bench.dir, 'graphs'));
    await mkdir(join(bench.dir, 'tasks'));
    for (const [file, text] of Object.entries(files)) await bench.write(file, text);
    await bench.open();
    t.teardown(() => bench.library.close());
    return bench;
  }

  async open(): Promise<void> {
    this.library = await openLibrary({
      folders: { graphs: [join(this.dir, 'graphs')], tasks: [join(this.dir, 'tasks')] },
      included: this.included,
      cacheDir: join(this.dir, 'cache'),
      store: this.store,
      log: { info: () => this.check(), warn: () => this.check() },
      onChange: (_change: Change) => this.check(),
    });
  }

  async reopen(): Promise<void> {
    await this.library.close();
    await this.open();
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(join(this.dir, file), text);
  }

  /** Resolves with the first change that satisfies the condition; uses the library's change events, not polling. */
  until(seen: () => boolean): Promise<void> {
    if (seen()) return Promise.resolve();
    return new Promise((done) => this.waiting.push({ seen, done }));
  }

  private check(): void {
    const [met, open] = [this.waiting.filter(({ seen }) => seen()), this.waiting.filter(({ seen }) => !seen())];
    this.waiting = open;
    for (const { done } of met) done();
  }
}
