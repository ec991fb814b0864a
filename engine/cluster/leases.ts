/**
 * Leases: periodic work that one process does for all, such as the sweep. The first process to acquire a lease holds it
 * until it releases it, or until it no longer sends heartbeats and another asks. Two processes may briefly both believe
 * that they hold it, so all work under a lease is idempotent.
 */
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Lease {
  id: string;
  version: number;
  /** Owner: id of the process that holds it, or null. */
  by: string | null;
}

export const leaseSpec: CollectionSpec = { name: 'duties', indexes: {}, lazy: true };

export interface Leases {
  /** @returns whether this process holds the lease now. @throws UNAVAILABLE */
  take(name: string): Promise<boolean>;
  give(name: string): Promise<void>;
}

export class SharedLeases implements Leases {
  readonly #leases: Collection<Lease>;
  readonly #id: string;
  readonly #heard: (id: string) => boolean;

  /** @param heard whether a process has sent heartbeats lately */
  constructor(leases: Collection<Lease>, id: string, heard: (id: string) => boolean) {
    this.#leases = leases;
    this.#id = id;
    this.#heard = heard;
  }

  async take(name: string): Promise<boolean> {
    const lease = await this.#leases.get(name);
    if (lease === undefined) return this.#first(name);
    if (lease.by === this.#id) return true;
    if (lease.by !== null && this.#heard(lease.by)) return false;
    return this.#write(lease, this.#id);
  }

  async #first(id: string): Promise<boolean> {
    const [inserted] = await this.#leases.insertMissing([{ id, version: 1, by: this.#id }]);
    return inserted === true;
  }

  async #write(lease: Lease, by: string | null): Promise<boolean> {
    const [written] = await this.#leases.replace([{ ...lease, version: lease.version + 1, by }]);
    return written === true;
  }

  async give(name: string): Promise<void> {
    const lease = await this.#leases.get(name);
    if (lease?.by === this.#id) await this.#write(lease, null);
  }
}
