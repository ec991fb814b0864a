/**
 * Loads definitions: bundles a file, tries its text in another process, then imports it.
 *
 * A start repeats nothing for unchanged definitions: neither their bundles (`cached-bundles.ts`), nor their trials
 * (`trials.ts`), nor their checks (`passed-checks.ts`).
 */
import { join } from 'node:path';
import { readChecks, saveChecks } from '../options/passed-checks.ts';
import { type Bundle, bundle, type Load, load } from './bundle.ts';
import { CachedBundles } from './cached-bundles.ts';
import { Trials } from './trials.ts';

export interface ReuseOptions {
  /** The build of the engine: results of another one are ignored. */
  build: string;
  /** The folder with the results that come with this build. */
  built: string;
}

const CHECKS = 'checks.json';

export class Loader {
  readonly #trials: Trials;
  readonly #cacheDir: string;
  readonly #limitMs: number | undefined;
  readonly #options: ReuseOptions | undefined;
  readonly #bundles: CachedBundles | undefined;

  /**
   * @param options undefined: nothing is cached, because the engine runs from its sources
   * @param limitMs for the trial and the import of one text; undefined: `LOAD_LIMIT_MS`
   */
  constructor(cacheDir: string, options: ReuseOptions | undefined, limitMs?: number) {
    this.#trials = new Trials(cacheDir, options?.built, limitMs);
    this.#cacheDir = cacheDir;
    this.#limitMs = limitMs;
    this.#options = options;
    this.#bundles = options && new CachedBundles(cacheDir, options.built, options.build);
  }

  /** Reads the results of earlier starts. */
  async open(): Promise<void> {
    if (this.#options === undefined) return;
    const { build, built } = this.#options;
    await readChecks(join(built, CHECKS), build, false);
    await readChecks(join(this.#cacheDir, CHECKS), build, true);
  }

  /** Must be called before files are read again: they may have changed. */
  refresh(): void {
    this.#bundles?.refresh();
  }

  /** Loads a text. @throws Rejection */
  readonly text: Load = async (bundle) => {
    await this.#trials.pass(bundle);
    return load(bundle, this.#cacheDir, this.#limitMs);
  };

  /** Loads a file. @throws Rejection */
  async file(file: string): Promise<{ bundled: Bundle; exported: unknown }> {
    const cachedBundle = this.#bundles?.find(file);
    // If it does not load, it is bundled again: the rejection names the location in the source.
    const loaded =
      cachedBundle &&
      (await this.text(cachedBundle).then(
        (exported) => ({ bundled: cachedBundle, exported }),
        () => undefined,
      ));
    if (loaded !== undefined) return loaded;
    const bundled = await bundle(file);
    const exported = await this.text(bundled);
    // The cache is optional: a full disk, for example, rejects no definition.
    await this.#bundles?.keep(file, bundled).catch(() => {});
    return { bundled, exported };
  }

  /** Lets texts that an earlier process rejected be tried again. @returns whether there were any */
  retry(): boolean {
    return this.#trials.retry();
  }

  /** Saves the checks that passed. */
  async save(): Promise<void> {
    if (this.#options !== undefined)
      await saveChecks(join(this.#cacheDir, CHECKS), this.#options.build).catch(() => {});
  }

  /** Removes the cached bundles of files that were not read. */
  async prune(): Promise<void> {
    await this.#bundles?.prune().catch(() => {});
  }

  /** Abandons running trials. */
  stop(): void {
    this.#trials.close();
  }
}
