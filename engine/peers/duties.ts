/**
 * Leases: periodic work that one process does for all, such as the sweep. The first process to acquire a lease holds it
 * until it releases it, or until it no longer sends heartbeats and another asks. Two processes may briefly both believe
 * that they hold it, so all work under a lease is idempotent.
 */
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Duty {
  id: string;
  version: number;
  /** Owner: id of the process that holds it, or null. */
  by: string | null;
}

export const dutySpec: CollectionSpec = { name: 'duties', indexes: {}, lazy: true };

export interface Duties {
  /** @returns whether this process holds the lease now. @throws UNAVAILABLE */
  take(name: string): Promise<boolean>;
  give(name: string): Promise<void>;
}

export class SharedDuties implements Duties {
  readonly #duties: Collection<Duty>;
  readonly #id: string;
  readonly #heard: (id: string) => boolean;

  /** @param heard whether a process has sent heartbeats lately */
  constructor(duties: Collection<Duty>, id: string, heard: (id: string) => boolean) {
    this.#duties = duties;
    this.#id = id;
    this.#heard = heard;
  }

  async take(name: string): Promise<boolean> {
    const duty = await this.#duties.get(name);
    if (duty === undefined) return this.#first(name);
    if (duty.by === this.#id) return true;
    if (duty.by !== null && this.#heard(duty.by)) return false;
    return this.#write(duty, this.#id);
  }

  async #first(id: string): Promise<boolean> {
    const [inserted] = await this.#duties.insertMissing([{ id, version: 1, by: this.#id }]);
    return inserted === true;
  }

  async #write(duty: Duty, by: string | null): Promise<boolean> {
    const [written] = await this.#duties.replace([{ ...duty, version: duty.version + 1, by }]);
    return written === true;
  }

  async give(name: string): Promise<void> {
    const duty = await this.#duties.get(name);
    if (duty?.by === this.#id) await this.#write(duty, null);
  }
}
