/** The tail of the event log in memory, shared by all daemons of a world. */
import type { EventTail, Stretch, TailView } from '../../events/event-log/port.ts';
import type { Link } from './daemon-link.ts';

export class MemoryTail {
  #stretches: Stretch[] = [];
  #newest = 0;
  #dropped = 0;

  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** As one daemon has it. */
  through(link: Link): EventTail {
    return {
      append: (pieces) =>
        link.change('event log append', () => {
          for (const texts of pieces) {
            const first = this.#newest + 1;
            this.#newest += texts.length;
            this.#stretches.push({ first, last: this.#newest, lines: texts.join('\n') });
          }
        }),
      newestSeq: () => link.call('event log newest', () => this.#newest),
      after: (position) =>
        link.call('event log after', (): TailView => {
          const stretches = this.#stretches.filter(({ last }) => last > position).slice(0, STRETCHES);
          return { newest: this.#newest, archived: this.#dropped, stretches };
        }),
      drop: (upTo) =>
        link.call('event log drop', () => {
          this.#dropped = Math.max(this.#dropped, upTo);
          this.#stretches = this.#stretches.filter(({ last }) => last > upTo);
        }),
    };
  }
}

/** The longest answer. */
const STRETCHES = 500;
