/** The log of a single process: each piece of it is a page of the archive at once. */
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
    return new DocumentTail(archive, marks, await archive.newest());
  }

  /** The caller awaits each call before the next. */
  async append(texts: readonly string[]): Promise<void> {
    if (this.#block.first + texts.length - 1 > this.#block.last) this.#block = await this.#marks.reserve();
    const { first } = this.#block;
    const last = first + texts.length - 1;
    // Also if the write fails: its outcome may be unknown.
    this.#block = { first: last + 1, last: this.#block.last };
    await this.#archive.add({ first, last, lines: texts.join('\n') });
    this.#newest = last;
  }

  async newest(): Promise<number> {
    return this.#newest;
  }

  async after(): Promise<TailView> {
    return { newest: this.#newest, archived: this.#newest, stretches: [] };
  }

  async drop(): Promise<void> {}
}
