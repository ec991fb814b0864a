/**
 * Turns: work that one process does for all, such as sweeping. Whoever asks first has the turn until it gives it back,
 * or is silent when another asks. Two may believe for a moment that it is theirs; what they do in turns is harmless
 * when done twice.
 */
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Turn {
  id: string;
  version: number;
  /** The process whose turn it is, or null. */
  by: string | null;
}

export const turnSpec: CollectionSpec = { name: 'turns', indexes: {}, lazy: true };

export interface Turns {
  /** @returns whether it is this process's turn now. @throws UNAVAILABLE */
  take(name: string): Promise<boolean>;
  give(name: string): Promise<void>;
}

export class SharedTurns implements Turns {
  readonly #turns: Collection<Turn>;
  readonly #id: string;
  readonly #heard: (id: string) => boolean;

  /** @param heard whether a process was heard of lately */
  constructor(turns: Collection<Turn>, id: string, heard: (id: string) => boolean) {
    this.#turns = turns;
    this.#id = id;
    this.#heard = heard;
  }

  async take(name: string): Promise<boolean> {
    const turn = await this.#turns.get(name);
    if (turn === undefined) return this.#first(name);
    if (turn.by === this.#id) return true;
    if (turn.by !== null && this.#heard(turn.by)) return false;
    return this.#write(turn, this.#id);
  }

  async #first(id: string): Promise<boolean> {
    const [inserted] = await this.#turns.insertMissing([{ id, version: 1, by: this.#id }]);
    return inserted === true;
  }

  async #write(turn: Turn, by: string | null): Promise<boolean> {
    const [written] = await this.#turns.replace([{ ...turn, version: turn.version + 1, by }]);
    return written === true;
  }

  async give(name: string): Promise<void> {
    const turn = await this.#turns.get(name);
    if (turn?.by === this.#id) await this.#write(turn, null);
  }
}
