/** Where events go. */
import type { Publication } from '../define/event.ts';

/** A broker, as the outbox sees it. */
export interface Broker {
  /** Connected, and its exchange is there. */
  readonly up: boolean;
  /** Called each time the broker has come (back) up. */
  onUp(listener: () => void): void;
  /** Resolves when the broker has taken responsibility for all; rejects when that is not known of one of them. */
  send(publications: readonly Publication[]): Promise<void>;
  close(): Promise<void>;
}

/** Who keeps events for receivers of its own: web hooks. */
export interface EventTaker {
  /** Resolves when none of them can be lost any more; undefined: it wants none. May be told of one twice. */
  take(publications: readonly Publication[]): Promise<void> | undefined;
}
