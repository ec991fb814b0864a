/**
 * Leases: the right of one process to do something for all. The owner is one field of a record, which changes by
 * compare-and-set only.
 *
 * 1. A lease has no time of its own: it is held while its owner sends heartbeats (`membership.ts`), until it is
 *    released.
 * 2. A lease is taken over from an owner that is `silent` if the work under it is harmless to repeat: two processes may
 *    briefly both believe that they hold it. Otherwise it is taken over once the owner is `gone`, which takes longer.
 * 3. An owner that was believed dead learns of it when it renews the lease: its signal is aborted.
 *
 * If the process dies
 * - before the record names it: nothing was changed;
 * - after that, before the work, in the work, or before the release: the record names a dead owner, and the next
 *   process that asks takes the lease over. The work has its own records of what is left;
 * - in the release: the record names it or no process. The former is the case before.
 */
import type { Collection, CollectionSpec, Document } from '../store/port.ts';

/** Where the owner of a lease is stored. */
export interface LeaseRecord {
  /** @returns id of the process; null: none; undefined: the record is gone, and nothing can hold it */
  owner(): Promise<string | null | undefined>;
  /** Compare-and-set. @returns whether it was written */
  change(from: string | null, to: string | null): Promise<boolean>;
}

export interface AcquireOptions {
  /** When the lease of another process may be taken over. */
  from: 'silent' | 'gone';
  signal?: AbortSignal;
  /** Called before the lease of a dead owner is taken over. @returns false: it is not */
  recover?(): Promise<boolean>;
}

/** The view that leases have of the other processes (`Presence`). */
export interface Liveness {
  /** Whether a process has sent heartbeats lately. */
  heard(id: string): boolean;
  /** Takes up to seconds. @throws when it cannot be determined */
  alive(id: string, signal: AbortSignal): Promise<boolean>;
}

export class Lease {
  readonly #record: LeaseRecord;
  readonly #id: string;
  readonly #lost = new AbortController();

  constructor(record: LeaseRecord, id: string) {
    this.#record = record;
    this.#id = id;
  }

  /** Aborted once the lease is known to be lost, or released. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** @returns whether this process still holds it. @throws UNAVAILABLE: it is unknown */
  async renew(): Promise<boolean> {
    if (!this.#lost.signal.aborted && (await this.#record.owner()) !== this.#id) this.#lost.abort();
    return !this.#lost.signal.aborted;
  }

  /** Harmless if the lease is lost. */
  async release(): Promise<void> {
    this.#lost.abort();
    await this.#record.change(this.#id, null);
  }
}

export interface StoredLease extends Document {
  version: number;
  /** Owner: id of the process that holds it, or null. */
  by: string | null;
}

export const leaseSpec: CollectionSpec = { name: 'duties', indexes: {}, lazy: true };

export class Leases {
  readonly #recordOf: (name: string) => LeaseRecord;
  readonly #id: string;
  readonly #others: Liveness;

  /** @param recordOf returns the record of a lease without a document of its own */
  constructor(recordOf: (name: string) => LeaseRecord, id: string, others: Liveness) {
    this.#recordOf = recordOf;
    this.#id = id;
    this.#others = others;
  }

  /** For work that is harmless to repeat. @returns undefined while another process holds it. @throws UNAVAILABLE */
  acquire(name: string): Promise<Lease | undefined> {
    return this.acquireOn(this.#recordOf(name), { from: 'silent' });
  }

  /** Like `acquire`, for the owner of something that has a document. @throws as `Liveness.alive` */
  async acquireOn(record: LeaseRecord, options: AcquireOptions): Promise<Lease | undefined> {
    const owner = await record.owner();
    if (owner === undefined) return undefined;
    if (owner !== this.#id && !((await this.#isFree(owner, options)) && (await record.change(owner, this.#id)))) return;
    return new Lease(record, this.#id);
  }

  async #isFree(owner: string | null, { from, signal, recover }: AcquireOptions): Promise<boolean> {
    if (owner === null) return true;
    const { heard, alive } = this.#others;
    const isAlive = from === 'silent' ? heard(owner) : await alive(owner, signal ?? new AbortController().signal);
    return !isAlive && ((await recover?.()) ?? true);
  }
}

/** Records of leases that have no document of their own: a document exists while the lease is held. */
export function storedLeases(stored: Collection<StoredLease>): (name: string) => LeaseRecord {
  return (id) => ({
    owner: async () => (await stored.get(id))?.by ?? null,
    async change(from, to) {
      if (to === null) return (await stored.remove({ id, by: from })) > 0;
      if (from !== null) return (await stored.update({ id, by: from }, set(to))) !== undefined;
      const [first] = await stored.insertMissing([{ id, version: 1, by: to }]);
      // Earlier versions kept the document of a released lease.
      return first === true || (await stored.update({ id, by: null }, set(to))) !== undefined;
    },
  });
}

const set = (by: string) => ({ $set: { by }, $inc: { version: 1 } });

/** The lease of something that has a document, whose field `by` names the owner. */
export function fieldLease<T extends Document & { by: string | null }>(
  stored: Collection<T>,
  id: string,
): LeaseRecord & { readonly document: T | undefined } {
  let document: T | undefined;
  return {
    /** As it was read last. */
    get document() {
      return document;
    },
    async owner() {
      document = await stored.get(id);
      return document?.by;
    },
    change: async (from, to) => (await stored.update({ id, by: from }, { $set: { by: to } })) !== undefined,
  };
}

/** A lease that no other process can hold, because there is none. */
export function unsharedLease(): LeaseRecord {
  let owner: string | null = null;
  return {
    owner: async () => owner,
    async change(from, to) {
      if (owner !== from) return false;
      owner = to;
      return true;
    },
  };
}
