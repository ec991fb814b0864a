/**
 * Blobs: byte sequences of any length in the store, shared by all daemons, split into chunks. Records (a pack's SKU, a
 * file's record) reference a blob by its id, and a blob never changes: its replacement has another id.
 *
 * 1. Its record is written before its chunks, so that chunks of a dead writer are found and deleted (`sweep`).
 * 2. A blob is referenced within `WRITE_MS` of its start; an older one without a reference is garbage.
 * 3. Memory holds at most a few chunks.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Collection, CollectionSpec, Document, Store } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { Content } from '../skus/stored-sku.ts';

interface StagedBlob extends Document {
  createdAt: string;
}

interface Chunk extends Document {
  content: string;
  /** Base64. */
  text: string;
}

export const contentSpec: CollectionSpec = { name: 'contents', indexes: { createdAt: 'text' } };
/** Lazy: the later write that references the blob is the one that must not be lost. */
export const contentChunkSpec: CollectionSpec = {
  name: 'contentchunks',
  indexes: { content: 'text' },
  whole: [],
  lazy: true,
};

/** Bytes. MongoDB limits a document to 16 MiB; a write of this size delays others only briefly. */
const CHUNK = 256 * 1_024;
/** Chunks per write. */
const CHUNKS_PER_WRITE = 4;
/** Maximum ms from the first byte to the reference. */
const WRITE_MS = 600_000;
/** Minimum age of garbage in ms: much longer, since clocks of several machines are compared. */
const LEFT_OVER_MS = HOUR_MS;
const STAGED_PAGE = 100;

const keyOf = (content: string, number: number) => `${content}.${number}`;

export class Blobs {
  readonly #staged: Collection<StagedBlob>;
  readonly #chunks: Collection<Chunk>;

  private constructor(staged: Collection<StagedBlob>, chunks: Collection<Chunk>) {
    this.#staged = staged;
    this.#chunks = chunks;
  }

  static async open(store: Store): Promise<Blobs> {
    return new Blobs(await store.collection<StagedBlob>(contentSpec), await store.collection<Chunk>(contentChunkSpec));
  }

  /**
   * Stores the bytes as a blob and has it referenced. Errors leave nothing behind.
   * @param refer writes the reference
   */
  async keep<T>(bytes: AsyncIterable<Uint8Array>, refer: (content: Content) => Promise<T>): Promise<T> {
    const id = randomUUID();
    const begin = Date.now();
    await this.#staged.insert({ id, createdAt: new Date(begin).toISOString() });
    try {
      const content = await this.#write(id, bytes);
      if (Date.now() - begin > WRITE_MS) throw new NodewrightError('UNAVAILABLE', 'writing took too long; try again');
      return await refer(content);
    } catch (error) {
      // After UNAVAILABLE the reference may have been written: the blob must stay, and is left to the sweep.
      if (!(error instanceof NodewrightError) || error.code !== 'UNAVAILABLE') await this.forget(id).catch(() => {});
      throw error;
    }
  }

  async #write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<Content> {
    const [md5, sha256] = [createHash('md5'), createHash('sha256')];
    let [size, number] = [0, 0];
    let waiting: Chunk[] = [];
    const flush = async () => {
      if (waiting.length > 0) await this.#chunks.insertMissing(waiting);
      waiting = [];
    };
    for await (const chunk of inPieces(bytes)) {
      md5.update(chunk);
      sha256.update(chunk);
      size += chunk.length;
      waiting.push({ id: keyOf(id, number), content: id, text: chunk.toString('base64') });
      number += 1;
      if (waiting.length === CHUNKS_PER_WRITE) await flush();
    }
    await flush();
    return { id, size, md5: md5.digest('hex'), sha256: sha256.digest('hex') };
  }

  /** @throws NodewrightError NOT_FOUND if the blob was deleted in the meantime or is damaged */
  async *read({ id, size, sha256 }: Pick<Content, 'id' | 'size' | 'sha256'>): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for (let number = 0; number * CHUNK < size; number += 1) {
      const chunk = await this.#chunks.get(keyOf(id, number));
      if (chunk === undefined) throw goneError(id);
      const bytes = Buffer.from(chunk.text, 'base64');
      hash.update(bytes);
      yield bytes;
    }
    if (hash.digest('hex') !== sha256) throw goneError(id);
  }

  /** Whether the blob exists or is being written. */
  async has(id: string): Promise<boolean> {
    return (await this.#staged.get(id)) !== undefined;
  }

  async forget(id: string): Promise<void> {
    await this.#chunks.remove({ content: id });
    await this.#staged.remove({ id });
  }

  /** Deletes garbage. @param referenced returns the referenced ids; called after the blobs are listed */
  async sweep(referenced: () => Promise<ReadonlySet<string>>, now = Date.now()): Promise<void> {
    const before = new Date(now - LEFT_OVER_MS).toISOString();
    for (let after = ''; ; ) {
      const filter = { createdAt: { $lt: before }, id: { $gt: after } };
      const old = await this.#staged.find(filter, { limit: STAGED_PAGE });
      // Called after the listing: it includes references made in the meantime, and by rule 2 old blobs get no new ones.
      const inUse = old.length === 0 ? new Set() : await referenced();
      for (const { id } of old.filter((one) => !inUse.has(one.id))) await this.forget(id);
      const last = old.at(-1);
      if (last === undefined || old.length < STAGED_PAGE) return;
      after = last.id;
    }
  }
}

const goneError = (id: string) =>
  new NodewrightError('NOT_FOUND', `the content ${id} is incomplete: it was replaced in the meantime; ask again`);

/** Regroups the bytes into pieces of `CHUNK`; only the last one is shorter. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const part of bytes) {
    parts.push(part);
    held += part.length;
    if (held < CHUNK) continue;
    const joined = Buffer.concat(parts);
    let at = 0;
    for (; at + CHUNK <= held; at += CHUNK) yield joined.subarray(at, at + CHUNK);
    parts = [joined.subarray(at)];
    held -= at;
  }
  if (held > 0) yield Buffer.concat(parts);
}
