/**
 * Packs: a SKU's files and definitions for its nodes, stored as an archive that the SKU refers to.
 *
 * 1. An archive is spooled to disk, and unpacked and validated there before any of it is stored.
 * 2. Its content and definitions are written under a new id. Its graphs and tasks are then compiled together
 *    with all others, and one compare-and-set write of the SKU activates the pack. A rejection or crash before
 *    that has no effect; leftovers are swept.
 * 3. All daemons are notified of a change; if the notification is lost, they find the change later themselves.
 * 4. The SKU's previous pack is deleted when the SKU no longer refers to it.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackInfo } from '../../api-port/skus.ts';
import type { Definition } from '../../library/versions/sku-definitions.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { bodyTooLong, limitBytes } from '../../vocabulary/byte-limits.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Blobs } from '../files/blobs.ts';
import type { Cache } from '../files/cache.ts';
import { type ServedFile, store, type UnpackedFile } from '../files/served-folder.ts';
import type { Content, Roots, StoredPack, StoredSku } from '../skus/stored-sku.ts';
import { type PackConfig, packRoots, parseConfig } from './pack-config.ts';
import { type PackDefinitions, readDefinitions } from './pack-definitions.ts';
import { CONFIG, type PackLimits } from './pack-limits.ts';
import { packRejection, unpack } from './unpack.ts';

interface InstallOptions {
  /** The user. */
  by?: string | undefined;
  /** Throws to reject the pack for reasons beyond the general validation. */
  judge?: (config: PackConfig) => Promise<void>;
}

export interface PackStorePort {
  skus: Collection<StoredSku>;
  definitions: Collection<PackDefinitions>;
  blobs: Blobs;
  cache: Cache;
  limits: PackLimits;
  /** Whether graphs and tasks may be code. */
  allowsCode: boolean;
  /** Validates the definitions, commits, and activates them. */
  serve<T>(sku: string, definitions: readonly Definition[], commit: () => Promise<T>): Promise<T>;
  /** Notifies all daemons, including this one. */
  changed(): Promise<void>;
  failed(error: unknown): void;
}

/** A validated pack. */
export interface CheckedPack {
  config: PackConfig;
  /** Returns the pack and its public summary, once its content is written. */
  packed(content: Content): { pack: StoredPack; packInfo: PackInfo };
}

/** Maximum of concurrent installations: each holds an archive and its files on disk. */
const INSTALLS_CONCURRENCY = 16;

const CONFIG_NAME = 'config.json';

export class PackStore {
  readonly #port: PackStorePort;
  readonly #definitions = new Map<string, Definition[]>();
  #underWay = 0;

  constructor(port: PackStorePort) {
    this.#port = port;
  }

  /**
   * @param sku its id
   * @param refer writes the SKU, and throws to reject the pack
   */
  async install<T>(
    sku: string,
    archive: AsyncIterable<Uint8Array>,
    refer: (judged: CheckedPack, content: Content) => Promise<T>,
    { by, judge = async () => {} }: InstallOptions = {},
  ): Promise<T> {
    if (this.#underWay >= INSTALLS_CONCURRENCY) {
      throw new NodewrightError(
        'TOO_MANY_REQUESTS',
        `${INSTALLS_CONCURRENCY} packs are being installed; try again shortly`,
      );
    }
    this.#underWay += 1;
    try {
      const done = await this.#port.cache.draft((folder) => this.#install(sku, folder, archive, refer, judge, by));
      await this.#port.changed().catch(this.#port.failed);
      return done;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #install<T>(
    sku: string,
    folder: string,
    archive: AsyncIterable<Uint8Array>,
    refer: (judged: CheckedPack, content: Content) => Promise<T>,
    judge: (config: PackConfig) => Promise<void>,
    by: string | undefined,
  ): Promise<T> {
    const { blobs, limits, serve, allowsCode } = this.#port;
    await store(folder, 0, limitBytes(archive, limits.archive, bodyTooLong(limits.archive)));
    const bytes = () => createReadStream(join(folder, '0'));
    const inside = join(folder, 'inside');
    await mkdir(inside);
    const unpacked = await unpack(bytes(), inside, limits.expanded);
    const config = parseConfig(await configText(inside, unpacked.files.get(CONFIG_NAME)));
    const roots = packRoots(config, unpacked);
    await judge(config);
    const read = await readDefinitions({ folder: inside, files: unpacked.files, roots, sku }, allowsCode);
    const at = new Date().toISOString();
    const definitions = by === undefined ? read : read.map((one) => ({ ...one, put: { by, at } }));
    const judged = { config, packed: (content: Content) => packedAs(content, config, roots) };
    // Written before the library's turn, which blocks all other changes to definitions.
    return blobs.keep(bytes(), async (content) => {
      await this.#port.definitions.insert({ id: content.id, text: JSON.stringify(definitions) });
      return serve(sku, definitions, () => refer(judged, content));
    });
  }

  /**
   * Returns a file of a pack.
   * @param name in the archive
   * @returns undefined if it does not exist. @throws NodewrightError NOT_FOUND if the pack was replaced in the meantime
   */
  file(pack: StoredPack, name: string): Promise<ServedFile | undefined> {
    const { cache, blobs, limits } = this.#port;
    return cache.file(pack.id, name, async (folder) => {
      const { files } = await unpack(blobs.read(pack), folder, limits.expanded);
      return files;
    });
  }

  /** Notifies all daemons, including this one, that packs changed. */
  announce(): Promise<void> {
    return this.#port.changed();
  }

  /** Deletes a pack that its SKU no longer refers to. */
  async forget(pack: StoredPack | null | undefined): Promise<void> {
    if (pack === null || pack === undefined) return;
    try {
      await this.#port.blobs.forget(pack.id);
      await this.#port.definitions.remove({ id: pack.id });
    } catch (error) {
      this.#port.failed(error);
    }
  }

  /** Yields the packs that SKUs refer to, with the SKU's id. */
  async *all(): AsyncGenerator<{ sku: string; pack: StoredPack }> {
    for await (const { id, pack } of pages(this.#port.skus, { 'pack.id': { $gt: '' } })) {
      if (pack) yield { sku: id, pack };
    }
  }

  /** Returns the graphs and tasks of all packs. */
  async definitions(): Promise<Definition[]> {
    const packDefinitions: Definition[] = [];
    const packIds = new Set<string>();
    for await (const { pack } of this.all()) {
      packIds.add(pack.id);
      packDefinitions.push(...(await this.#definitionsOf(pack.id)));
    }
    for (const id of this.#definitions.keys()) if (!packIds.has(id)) this.#definitions.delete(id);
    return packDefinitions;
  }

  /** Definitions never change under one id, so they are cached. */
  async #definitionsOf(id: string): Promise<Definition[]> {
    const cachedDefinitions = this.#definitions.get(id);
    if (cachedDefinitions !== undefined) return cachedDefinitions;
    const storedPack = await this.#port.definitions.get(id);
    // The pack was replaced since its SKU was read; its notification is on the way.
    if (storedPack === undefined) return [];
    const definitions = JSON.parse(storedPack.text) as Definition[];
    this.#definitions.set(id, definitions);
    return definitions;
  }

  /** Deletes definitions of packs that no SKU refers to; their contents are swept with all others. */
  async sweep(isBegun: (content: string) => Promise<boolean>): Promise<void> {
    for await (const { id } of pages(this.#port.definitions, {})) {
      if (!(await isBegun(id))) await this.#port.definitions.remove({ id });
    }
  }
}

export const newSkuId = (): string => randomUUID();

function packedAs(content: Content, config: PackConfig, roots: Roots): { pack: StoredPack; packInfo: PackInfo } {
  const { version = null, description = null, skuConfig = {} } = config;
  const { size, sha256 } = content;
  return { pack: { ...content, roots, skuConfig }, packInfo: { version, description, size, sha256 } };
}

/** Returns the text of an unpacked config.json. @throws NodewrightError INVALID */
export async function configText(folder: string, config: UnpackedFile | undefined): Promise<string> {
  if (config === undefined) throw packRejection('no config.json at its root; expected one');
  if (config.size > CONFIG) throw packRejection(`a config.json of more than ${CONFIG} bytes; expected a shorter one`);
  return readFile(join(folder, String(config.number)), 'utf8');
}
