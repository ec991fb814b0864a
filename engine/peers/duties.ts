/**
 * Duties: periodic work that one process does for all, such as sweeping. Whoever takes one first has it until it gives
 * it back, or is silent when another asks. Two may believe for a moment that it is theirs; what they do on duty is
 * harmless when done twice.
 */
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Duty {
  id: string;
  version: number;
  /** The process that has it, or null. */
  by: string | null;
}

export const dutySpec: CollectionSpec = { name: 'duties', indexes: {}, lazy: true };

export interface Duties {
  /** @returns whether this process has it now. @throws UNAVAILABLE */
  take(name: string): Promise<boolean>;
  give(name: string): Promise<void>;
}

export class SharedDuties implements Duties {
  readonly #duties: Collection<Duty>;
  readonly #id: string;
  readonly #heard: (id: string) => boolean;

  /** @param heard whether a process was heard of lately */
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
