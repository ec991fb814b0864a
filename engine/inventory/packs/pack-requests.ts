/** Requests about packs: put to a SKU, or registering one. `inventory/packs/` stores them. */
import type { Packs, SkuRecord } from '../../api-port/skus.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type EncryptOptions, SkuRequests } from '../skus/sku-requests.ts';
import type { OpenSkus } from '../skus/skus.ts';
import type { Content, StoredSku } from '../skus/stored-sku.ts';
import { skuIn } from './pack-config.ts';
import { type CheckedPack, newSkuId, type PackStore } from './pack-store.ts';

/** More packs than this for one SKU in quick succession are a mistake of the client. */
const PACK_TRIES = 20;

class PackRequests implements Packs {
  readonly #packs: PackStore;
  readonly #skus: OpenSkus['requests'];
  readonly #requests: SkuRequests;

  constructor(packs: PackStore, skus: OpenSkus['requests'], requests: SkuRequests) {
    this.#packs = packs;
    this.#skus = skus;
    this.#requests = requests;
  }

  register(archive: AsyncIterable<Uint8Array>, check: (sku: unknown) => void, by?: string): Promise<SkuRecord> {
    const id = newSkuId();
    const input = (config: object) => {
      const said = skuIn(config);
      check(said);
      return said as unknown as Parameters<SkuRequests['create']>[0];
    };
    return this.#packs.install(
      id,
      archive,
      ({ config, packed }, content) => this.#requests.create(input(config), { id, ...packed(content) }),
      { by, judge: (config) => this.#requests.reject(input(config)) },
    );
  }

  async put(id: string, archive: AsyncIterable<Uint8Array>, by?: string): Promise<SkuRecord | undefined> {
    if ((await this.#skus.stored.get(id)) === undefined) return undefined;
    const refer = (judged: CheckedPack, content: Content) => this.#swap(id, judged.packed(content));
    try {
      const { before, after } = await this.#packs.install(id, archive, refer, { by });
      await this.#packs.forget(before.pack);
      return after;
    } catch (error) {
      if (error instanceof SkuGone) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<boolean> {
    try {
      const { before } = await this.#swap(id, { pack: null, packInfo: null });
      if (before.pack) await this.#packs.announce();
      await this.#packs.forget(before.pack);
      return true;
    } catch (error) {
      if (error instanceof SkuGone) return false;
      throw error;
    }
  }

  /** @returns the SKU before and after the change */
  async #swap(id: string, to: Pick<StoredSku, 'pack' | 'packInfo'>) {
    const { stored, generation } = this.#skus;
    for (let tries = 0; tries < PACK_TRIES; tries += 1) {
      const before = await stored.get(id);
      if (before === undefined) throw new SkuGone();
      if (!before.pack && !to.pack) return { before, after: before };
      const isBefore = { id, 'pack.id': before.pack?.id ?? null };
      const $set = { ...to, updatedAt: new Date().toISOString() };
      const after = await generation.change(() => stored.update(isBefore, { $set }));
      if (after !== undefined) return { before, after };
    }
    throw new NodewrightError(
      'UNAVAILABLE',
      `gave up after ${PACK_TRIES} concurrent changes to the pack of the SKU ${id}; try again`,
    );
  }
}

/** Opens the requests for SKUs and their packs. */
export function openSkuRequests(modules: OpenSkus['requests'], packs: PackStore, encrypt: EncryptOptions) {
  const skus = new SkuRequests(modules, encrypt, packs);
  return { skus, packs: new PackRequests(packs, modules, skus) };
}

/** The SKU was deleted in the meantime. */
class SkuGone extends Error {}
