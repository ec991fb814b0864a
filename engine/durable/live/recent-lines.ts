/**
 * The history lines of workflows that this process has taken through all of their steps, so that it need not read them
 * from Redis when they end.
 *
 * 1. A step is noted when its save is answered. The next one follows the version of the last; after a step of another
 *    process, or one whose outcome is unknown, the lines are incomplete, and forgotten.
 * 2. A lost connection may be the loss of a server, with steps that others then took anew: all lines are forgotten.
 */
import type { RowWrite } from './port.ts';

interface Lines {
  /** The version of the last step. */
  version: number;
  /** A JSON text of each step with lines. */
  texts: string[];
  length: number;
}

const REMEMBERED_WORKFLOWS = 1_000;
/** Characters of one workflow. */
const REMEMBERED_LENGTH = 16_384;

export class RecentLines {
  readonly #losses: () => number;
  /** By id, the oldest first. */
  readonly #lines = new Map<string, Lines>();
  #knownLosses: number;

  /** @param losses how often a connection was lost */
  constructor(losses: () => number) {
    this.#losses = losses;
    this.#knownLosses = losses();
  }

  /** @param text the JSON text of its history; '': it has none */
  note({ before, row }: RowWrite<{ id: string; version: number }>, text: string): void {
    this.#forgetLost();
    const { id, version } = row;
    if (before === undefined) this.#lines.set(id, { version, texts: [], length: 0 });
    const lines = this.#lines.get(id);
    if (lines === undefined) return;
    const isNext = before === undefined || lines.version === before.version;
    lines.version = version;
    if (text !== '') lines.texts.push(text);
    lines.length += text.length;
    if (!isNext || lines.length > REMEMBERED_LENGTH) this.#lines.delete(id);
    if (this.#lines.size > REMEMBERED_WORKFLOWS) this.#lines.delete(this.#lines.keys().next().value as string);
  }

  /** @returns the JSON texts of all steps up to this version; undefined: some are not known */
  of({ id, version }: { id: string; version: number }): string[] | undefined {
    this.#forgetLost();
    const lines = this.#lines.get(id);
    return lines?.version === version ? lines.texts : undefined;
  }

  forget(id: string): void {
    this.#lines.delete(id);
  }

  #forgetLost(): void {
    if (this.#knownLosses === this.#losses()) return;
    this.#knownLosses = this.#losses();
    this.#lines.clear();
  }
}
