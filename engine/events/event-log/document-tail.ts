/** The log of a single process: each piece of it immediately becomes a page of the archive. */
import type { EventArchive } from './event-archive.ts';
import type { EventMarks, PositionBlock } from './event-marks.ts';
import type { EventTail, TailView } from './port.ts';

export class DocumentTail implements EventTail {
  readonly #archive: EventArchive;
  readonly #marks: EventMarks;
  #block: PositionBlock = { first: 1, last: 0 };
  #newest: number;

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
    await this.#archive.add(stretches);
    this.#newest = next - 1;
  }

  async newestSeq(): Promise<number> {
    return this.#newest;
  }

  async after(): Promise<TailView> {
    return { newest: this.#newest, archived: this.#newest, stretches: [] };
  }

  async drop(): Promise<void> {}
}
