/** Stores the results of trials on disk, so that a start tries only new texts. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Rejection } from './rejection.ts';

interface Refused {
  found: string;
  expected: string;
}

interface ApiDefinitions {
  node: string;
  passed: string[];
  refused: [hash: string, why: Refused][];
}

/** Maximum stored texts of either kind; the oldest are dropped first. */
const LIMIT = 5_000;

export class Tried {
  readonly #file: string;
  readonly #passed = new Set<string>();
  readonly #refused = new Map<string, Refused>();
  #changed = false;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Ignores an unreadable file: everything is then tried again. */
  static async read(file: string): Promise<Tried> {
    const tried = new Tried(file);
    try {
      const { node, passed, refused } = JSON.parse(await readFile(file, 'utf8')) as ApiDefinitions;
      // Another version of Node.js may give other results.
      if (node !== process.version) return tried;
      for (const hash of passed) tried.#passed.add(hash);
      for (const [hash, why] of refused) tried.#refused.set(hash, why);
    } catch {}
    return tried;
  }

  has(hash: string): boolean {
    return this.#passed.has(hash);
  }

  refusal(hash: string): Rejection | undefined {
    const why = this.#refused.get(hash);
    return why === undefined ? undefined : new Rejection(why.found, why.expected);
  }

  add(hash: string, refusal: Rejection | undefined): void {
    this.#refused.delete(hash);
    this.#passed.delete(hash);
    if (refusal === undefined) this.#passed.add(hash);
    else this.#refused.set(hash, { found: refusal.found, expected: refusal.expected });
    for (const all of [this.#passed, this.#refused]) {
      const [oldest] = all.keys();
      if (all.size > LIMIT && oldest !== undefined) all.delete(oldest);
    }
    this.#changed = true;
  }

  /** Saves the results atomically. */
  async save(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const kept: ApiDefinitions = { node: process.version, passed: [...this.#passed], refused: [...this.#refused] };
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(`${this.#file}.new`, JSON.stringify(kept), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}
