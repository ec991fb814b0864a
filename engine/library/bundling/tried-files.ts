/** Stores the results of trials on disk, so that a start tries only new texts. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Rejection } from '../options/rejection.ts';

interface RejectedText {
  found: string;
  expected: string;
}

interface TriedTexts {
  node: string;
  passed: string[];
  rejected: [hash: string, why: RejectedText][];
}

/** Maximum stored texts of either kind; the oldest are dropped first. */
const MAX_TEXTS = 5_000;

export class TriedFiles {
  readonly #file: string;
  readonly #passed = new Set<string>();
  readonly #rejected = new Map<string, RejectedText>();
  #changed = false;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Ignores an unreadable file: everything is then tried again. */
  static async read(file: string, built?: string): Promise<TriedFiles> {
    const tried = new TriedFiles(file);
    if (built !== undefined) for (const hash of (await textsOf(built))?.passed ?? []) tried.#passed.add(hash);
    const { passed, rejected } = (await textsOf(file)) ?? { passed: [], rejected: [] };
    for (const hash of passed) tried.#passed.add(hash);
    for (const [hash, why] of rejected) tried.#rejected.set(hash, why);
    return tried;
  }

  has(hash: string): boolean {
    return this.#passed.has(hash);
  }

  rejection(hash: string): Rejection | undefined {
    const why = this.#rejected.get(hash);
    return why === undefined ? undefined : new Rejection(why.found, why.expected);
  }

  add(hash: string, rejection: Rejection | undefined): void {
    this.#rejected.delete(hash);
    this.#passed.delete(hash);
    if (rejection === undefined) this.#passed.add(hash);
    else this.#rejected.set(hash, { found: rejection.found, expected: rejection.expected });
    for (const all of [this.#passed, this.#rejected]) {
      const [oldest] = all.keys();
      if (all.size > MAX_TEXTS && oldest !== undefined) all.delete(oldest);
    }
    this.#changed = true;
  }

  /** Saves the results atomically. */
  async save(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const triedTexts: TriedTexts = { node: process.version, passed: [...this.#passed], rejected: [...this.#rejected] };
    await mkdir(dirname(this.#file), { recursive: true });
    // Several processes of an author share a file.
    const draft = `${this.#file}.${randomUUID()}.new`;
    await writeFile(draft, JSON.stringify(triedTexts), { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

async function textsOf(file: string): Promise<TriedTexts | undefined> {
  try {
    const texts = JSON.parse(await readFile(file, 'utf8')) as TriedTexts;
    // Another version of Node.js may give other results.
    return texts.node === process.version && [texts.passed, texts.rejected].every(Array.isArray) ? texts : undefined;
  } catch {
    return undefined;
  }
}
