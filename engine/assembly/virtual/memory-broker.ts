/** A broker in memory: it keeps what was confirmed, for those who ask. */
import type { Broker } from '../../events/broker/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Publication } from '../../vocabulary/event.ts';
import type { Link } from './daemon-link.ts';

export class MemoryBroker {
  isUp = true;
  /** Receives each message that the broker took. */
  hear: (publication: Publication) => void = () => {};
  readonly #listeners = new Map<Link, () => void>();

  /** The broker goes away, or is back. */
  set(isUp: boolean): void {
    this.isUp = isUp;
    if (!isUp) return;
    for (const [link, listener] of this.#listeners) link.deliver(0, listener);
  }

  through(link: Link): Broker {
    const up = () => this.isUp && !link.isAway;
    return {
      get up() {
        return up();
      },
      onUp: (listener) => {
        this.#listeners.set(link, listener);
      },
      send: (publications) =>
        link.call('broker send', () => {
          if (!this.isUp) throw new NodewrightError('UNAVAILABLE', 'the broker is away');
          for (const publication of publications) this.hear(publication);
        }),
      close: async () => {},
    };
  }
}
