/**
 * The log of a single process: each piece of it immediately becomes a page of the archive. The newest ones stay in memory, because
 * those who follow the log read them a moment later.
 */
import { KIB } from '../../vocabulary/units.ts';
import type { EventArchive } from './event-archive.ts';
import type { EventMarks, PositionBlock } from './event-marks.ts';
import type { EventTail, Stretch, TailView } from './port.ts';

/** Characters of the pieces in memory. */
const NEWEST_CHARACTERS = 256 * KIB;

export class DocumentTail implements EventTail {
  readonly #archive: EventArchive;
  readonly #marks: EventMarks;
  #block: PositionBlock = { first: 1, last: 0 };
  #newest: number;
  /** The newest pieces, without one that the archive may have and this does not. */
  #pieces: Stretch[] = [];
  #characters = 0;

  private constructor(archive: EventArchive, marks: EventMarks, newest: number) {
    this.#archive = archive;
    this.#marks = marks;
    this.#newest = newest;
  }

  static async open(archive: EventArchive, marks: EventMarks): Promise<DocumentTail> {
    return new DocumentTail(archive, marks, await archive.newestSeq());
  }

  async append(pieces: readonly (readonly string[])[]): Promise<void> {
    const count = pieces.reduce((sum, texts) => sum + texts.length, 0);
    if (this.#block.first + count - 1 > this.#block.last) this.#block = await this.#marks.reserve(count);
    let next = this.#block.first;
    // Also if the write fails: its outcome may be unknown.
    this.#block = { first: next + count, last: this.#block.last };
    const stretches = pieces.map((texts) => {
      const first = next;
      next += texts.length;
      return { first, last: next - 1, lines: texts.join('\n') };
    });
    try {
      await this.#archive.add(stretches);
    } catch (error) {
      this.#pieces = [];
      this.#characters = 0;
      throw error;
    }
    this.#newest = next - 1;
    for (const stretch of stretches) this.#keep(stretch);
  }

  #keep(stretch: Stretch): void {
    this.#pieces.push(stretch);
    this.#characters += stretch.lines.length;
    while (this.#characters > NEWEST_CHARACTERS) this.#characters -= this.#pieces.shift()?.lines.length ?? 0;
  }

  async newestSeq(): Promise<number> {
    return this.#newest;
  }

  async after(position: number): Promise<TailView> {
    const newest = this.#newest;
    const [oldest] = this.#pieces;
    if (oldest === undefined || position < oldest.first - 1) return { newest, archived: newest, stretches: [] };
    return { newest, archived: position, stretches: this.#pieces.filter(({ last }) => last > position) };
  }

  async drop(): Promise<void> {}
}
