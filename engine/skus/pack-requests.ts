/** Requests about packs: put to a SKU, or registering one. `packs/` stores them. */
import type { Packs, SkuRecord } from '../api-port/skus.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Content } from '../files/blobs.ts';
import { skuIn } from '../packs/pack-config.ts';
import { type CheckedPack, type PackStore as Installed, newSkuId } from '../packs/pack-store.ts';
import type { Collection } from '../store/port.ts';
import { SkuRequests, type SkusPort } from './sku-requests.ts';
import type { StoredSku } from './stored-sku.ts';

export interface PackRequestsPort {
  packs: Installed;
  stored: Collection<StoredSku>;
  skus: SkuRequests;
  /** Wraps every write of SKUs. */
  change<T>(write: () => Promise<T>): Promise<T>;
  /** Notifies all daemons, including this one, that packs changed. */
  changed(): Promise<void>;
}

/** More packs than this for one SKU in quick succession are a mistake of the client. */
const TRIES = 20;

export class PackRequests implements Packs {
  readonly #port: PackRequestsPort;

  constructor(port: PackRequestsPort) {
    this.#port = port;
  }

  register(archive: AsyncIterable<Uint8Array>, check: (sku: unknown) => void): Promise<SkuRecord> {
    const { packs, skus } = this.#port;
    const id = newSkuId();
    const input = (config: object) => {
      const said = skuIn(config);
      check(said);
      return said as unknown as Parameters<SkuRequests['create']>[0];
    };
    return packs.install(
      id,
      archive,
      ({ config, packed }, content) => skus.create(input(config), { id, ...packed(content) }),
      (config) => skus.reject(input(config)),
    );
  }

  async put(id: string, archive: AsyncIterable<Uint8Array>): Promise<SkuRecord | undefined> {
    if ((await this.#port.stored.get(id)) === undefined) return undefined;
    const refer = (judged: CheckedPack, content: Content) => this.#swap(id, judged.packed(content));
    try {
      const { before, after } = await this.#port.packs.install(id, archive, refer);
      await this.#port.packs.forget(before.pack);
      return after;
    } catch (error) {
      if (error instanceof SkuGone) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<boolean> {
    try {
      const { before } = await this.#swap(id, { pack: null, packInfo: null });
      if (before.pack) await this.#port.changed();
      await this.#port.packs.forget(before.pack);
      return true;
    } catch (error) {
      if (error instanceof SkuGone) return false;
      throw error;
    }
  }

  /** @returns the SKU before and after the change */
  async #swap(id: string, to: Pick<StoredSku, 'pack' | 'packInfo'>) {
    const { stored, change } = this.#port;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await stored.get(id);
      if (before === undefined) throw new SkuGone();
      if (!before.pack && !to.pack) return { before, after: before };
      const isBefore = { id, 'pack.id': before.pack?.id ?? null };
      const $set = { ...to, updatedAt: new Date().toISOString() };
      const after = await change(() => stored.update(isBefore, { $set }));
      if (after !== undefined) return { before, after };
    }
    throw new NodewrightError(
      'UNAVAILABLE',
      `gave up after ${TRIES} concurrent changes to the pack of the SKU ${id}; try again`,
    );
  }
}

/** Opens the requests for SKUs and their packs. @param changed as in `PackRequestsPort` */
export function openSkuRequests(port: SkusPort, packs: Installed, changed: () => Promise<void>) {
  const removed = async ({ pack }: StoredSku) => {
    if (!pack) return;
    await changed();
    await packs.forget(pack);
  };
  const skus = new SkuRequests({ ...port, removed });
  return { skus, packs: new PackRequests({ packs, skus, changed, stored: port.stored, change: port.change }) };
}

/** The SKU was deleted meanwhile. */
class SkuGone extends Error {}
