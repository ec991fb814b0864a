/**
 * The keys that nodes receive when they boot. A key is `<node>.<HMAC>`; the HMAC is computed from the
 * node, the workflow that boots it and a secret of the daemon. Owns the record of a node's valid boots,
 * and of the address that received its keys.
 *
 * 1. A key is derived, never stored: every request of a boot, to any daemon, before or after a crash, gets the same
 *    key. A random key that is stored as a hash could not be given out twice.
 * 2. Two boots are valid, the current and the previous one. An agent in the middle of a command keeps its key when its
 *    node boots again, or another machine asks for the node's profile; a key that is two boots old is rejected.
 * 3. The first address that receives a key of a node is the only one from then on (`node-access.ts` has the exceptions).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';

export const bootSpec: CollectionSpec = { name: 'southboundboots', indexes: {} };

/** `id`: id of the node. */
export interface StoredBoot {
  id: string;
  /** The workflow that boots the node, and the one before. */
  boot: string;
  previous: string | null;
  /** The address that received the first key; null: none, or one that does not identify a machine. */
  address: string | null;
  updatedAt: string;
}

/** Tries for a record that other daemons change concurrently. */
const RECORD_TRIES = 20;

/** Format and length of a key; anything else is rejected without a look-up. */
const KEY = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

export class SouthboundKeys {
  readonly #stored: Collection<StoredBoot>;
  readonly #secrets: readonly [Buffer, ...Buffer[]];

  constructor(stored: Collection<StoredBoot>, [ownKey, ...accepted]: KeyRing) {
    this.#stored = stored;
    this.#secrets = [Buffer.from(ownKey), ...accepted.map((secret) => Buffer.from(secret))];
  }

  keyOf(node: string, boot: string): string {
    return `${node}.${macOf(this.#secrets[0], node, boot)}`;
  }

  /** @returns the node of a valid key; undefined for any other text */
  async nodeOf(key: string): Promise<string | undefined> {
    const [, node, mac] = KEY.exec(key) ?? [];
    if (node === undefined || mac === undefined) return undefined;
    // As text: base64url has several texts for the same bytes.
    const given = Buffer.from(mac);
    const storedBoot = await this.#stored.get(node);
    // All are always compared, in constant time, so that the duration reveals nothing about the key.
    const boots = [storedBoot?.boot ?? '', storedBoot?.previous ?? storedBoot?.boot ?? ''];
    const fits = this.#secrets.flatMap((secret) =>
      boots.map((boot) => timingSafeEqual(Buffer.from(macOf(secret, node, boot)), given)),
    );
    return storedBoot !== undefined && fits.includes(true) ? node : undefined;
  }

  /** Returns the address that first received the node's keys; null: none yet. */
  async addressOf(node: string): Promise<string | null> {
    return (await this.#stored.get(node))?.address ?? null;
  }

  /**
   * Makes the keys of this boot valid, and keeps those of the one before.
   * @param address bound to the node unless another is bound; null: it does not identify a machine
   * @returns the address that is now bound to the node
   */
  async begin(node: string, boot: string, address: string | null): Promise<string | null> {
    for (let tries = 0; tries < RECORD_TRIES; tries += 1) {
      const storedBoot = await this.#stored.get(node);
      const updatedAt = new Date().toISOString();
      if (storedBoot === undefined) {
        await this.#stored.insertMissing([{ id: node, boot, previous: null, address, updatedAt }]);
      } else if (storedBoot.boot !== boot) {
        await this.#stored.update(
          { id: node, boot: storedBoot.boot },
          { $set: { boot, previous: storedBoot.boot, updatedAt } },
        );
      } else if (storedBoot.address === null && address !== null) {
        await this.#stored.update({ id: node, address: null }, { $set: { address, updatedAt } });
      } else return storedBoot.address;
    }
    throw new Error(`gave up after ${RECORD_TRIES} concurrent changes to the boot record of the node ${node}`);
  }

  async forget(node: string): Promise<void> {
    await this.#stored.remove({ id: node });
  }
}

const macOf = (secret: Buffer, node: string, boot: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([node, boot]))
    .digest('base64url');
