/**
 * The keys that the boot of a node hands out. A key is `<node>.<HMAC>`; the HMAC is made of the node, the workflow that
 * boots it and a secret of the daemon's. Owns the record of which boots of a node count, and of the address that the
 * node's keys were given to.
 *
 * 1. A key is derived, never stored: however often a boot asks, whichever daemon answers, before or after a crash, it is
 *    given the same key. A random key that is stored as a hash could not be given twice.
 * 2. Two boots count, the current and the one before. An agent in the middle of a command keeps its key when its node
 *    boots again, or another machine asks for the node's profile; a key that is two boots old is refused.
 * 3. The first address that is given a key of a node is the only one from then on (`access.ts` has the exceptions).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Collection, CollectionSpec } from '../store/port.ts';

export const bootSpec: CollectionSpec = { name: 'southboundboots', indexes: {} };

/** `id`: the node. */
export interface StoredBoot {
  id: string;
  /** The workflow that boots the node, and the one that did before. */
  boot: string;
  previous: string | null;
  /** The sender that was given the first key; null: none that tells machines apart. */
  address: string | null;
  updatedAt: string;
}

/** Tries for a record that other daemons change at the same time. */
const TRIES = 20;

/** What a key may consist of, and how long it may be: anything else is refused unread. */
const KEY = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

export class SouthboundKeys {
  readonly #stored: Collection<StoredBoot>;
  readonly #secret: Buffer;

  constructor(stored: Collection<StoredBoot>, secret: string) {
    this.#stored = stored;
    this.#secret = Buffer.from(secret);
  }

  keyOf(node: string, boot: string): string {
    return `${node}.${this.#mac(node, boot).toString('base64url')}`;
  }

  #mac(node: string, boot: string): Buffer {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([node, boot]))
      .digest();
  }

  /** @returns the node whose key this is; undefined: it is no key, or none that counts */
  async nodeOf(key: string): Promise<string | undefined> {
    const [, node, mac] = KEY.exec(key) ?? [];
    if (node === undefined || mac === undefined) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const known = await this.#stored.get(node);
    // All of them are compared, in constant time, so that an answer tells nothing of how near a guess was.
    const boots = [known?.boot ?? '', known?.previous ?? known?.boot ?? ''];
    const fits = boots.map((boot) => timingSafeEqual(this.#mac(node, boot), given));
    return known !== undefined && fits.includes(true) ? node : undefined;
  }

  /** The address that the node's keys were first given to; null: none yet. */
  async addressOf(node: string): Promise<string | null> {
    return (await this.#stored.get(node))?.address ?? null;
  }

  /**
   * From now on keys of this boot count, and those of the one before it.
   * @param address bound to the node unless another was; null: it tells no machine apart
   * @returns the address that is bound to the node by now
   */
  async begin(node: string, boot: string, address: string | null): Promise<string | null> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const known = await this.#stored.get(node);
      const updatedAt = new Date().toISOString();
      if (known === undefined) {
        await this.#stored.insertMissing([{ id: node, boot, previous: null, address, updatedAt }]);
      } else if (known.boot !== boot) {
        await this.#stored.update({ id: node, boot: known.boot }, { $set: { boot, previous: known.boot, updatedAt } });
      } else if (known.address === null && address !== null) {
        await this.#stored.update({ id: node, address: null }, { $set: { address, updatedAt } });
      } else return known.address;
    }
    throw new Error(`the boot record of the node ${node} changes without end`);
  }

  async forget(node: string): Promise<void> {
    await this.#stored.remove({ id: node });
  }
}
