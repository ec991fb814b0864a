/** Writes a backup: entry by entry, each in memory as a whole, with the sums of all as the last one. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { CHECKSUMS, chunkEntry, type EntrySum, MANIFEST, type Manifest, secretEntry } from './backup-format.ts';
import type { Lines } from './sized-pages.ts';

/** Most of what a higher one saves, in a third of the time. */
const LEVEL = 3;

export class ArchiveWriter {
  readonly #pack: Pack = pack();
  readonly #written: Promise<void>;
  readonly #sums: Record<string, EntrySum> = {};
  /** Number of entries by collection. */
  readonly #chunks = new Map<string, number>();
  readonly #createdAt: Date;

  /** @param file must not exist; only its owner can read it */
  constructor(file: string, manifest: Manifest) {
    this.#createdAt = new Date(manifest.createdAt);
    const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#pack, createGzip({ level: LEVEL }), output);
    // Awaited by each entry, and at the end.
    this.#written.catch(() => {});
  }

  async begin(manifest: Manifest): Promise<void> {
    await this.#entry(MANIFEST, JSON.stringify(manifest, null, 2), 0);
  }

  /** @param ring lines of keys */
  async secret(name: string, ring: readonly string[]): Promise<void> {
    await this.#entry(secretEntry(name), ring.map((key) => `${key}\n`).join(''), 0);
  }

  async chunk(collection: string, { text, count }: Lines): Promise<void> {
    if (count === 0) return;
    const number = this.#chunks.get(collection) ?? 0;
    this.#chunks.set(collection, number + 1);
    await this.#entry(chunkEntry(collection, number), text, count);
  }

  async #entry(name: string, text: string, count: number): Promise<void> {
    const bytes = Buffer.from(text);
    this.#sums[name] = { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, count };
    await this.#add(name, bytes);
  }

  /** Resolves when the entry is on its way to the file. */
  async #add(name: string, bytes: Buffer): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      this.#pack.entry({ name, size: bytes.length, mode: 0o600, mtime: this.#createdAt }, bytes, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    // After an error of the disk, the entry would wait for ever.
    await Promise.race([added, this.#written]);
  }

  /** Resolves when the file is whole, and on the disk. */
  async end(): Promise<void> {
    await this.#add(CHECKSUMS, Buffer.from(JSON.stringify({ entries: this.#sums })));
    this.#pack.finalize();
    await this.#written;
  }

  /** Stops writing. */
  async abandon(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => {});
  }
}
