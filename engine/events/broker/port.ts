/** Receivers of events. */
import type { Publication } from '../../vocabulary/event.ts';

/** A message broker, as the outbox uses it. */
export interface Broker {
  /** Whether it is connected and its exchange exists. */
  readonly up: boolean;
  /** Called each time the connection is (re-)established. */
  onUp(listener: () => void): void;
  /** Resolves when the broker has accepted all of them; rejects when that is unknown for at least one. */
  send(publications: readonly Publication[]): Promise<void>;
  close(): Promise<void>;
}

/** A component that stores events for receivers of its own, such as web hooks, or the log. */
export interface EventSink {
  /** Resolves when none of them can be lost any more; undefined: it needs none. An event may be passed twice. */
  take(publications: readonly Publication[]): Promise<void> | undefined;
}
