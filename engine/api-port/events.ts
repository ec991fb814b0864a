/** The port of the API to the log of events. */
import type { EventPayload } from '../vocabulary/event.ts';

/** An event in the log. */
export interface LoggedEvent extends EventPayload {
  /** Its position: a reader that has read n never finds one below n later. Numbers may be missing. */
  seq: number;
}

/** Consecutive events of the log, oldest first. */
export interface LoggedBatch {
  events: readonly LoggedEvent[];
  /** The log has been read up to this position; at least that of the last event. */
  upTo: number;
}

export interface EventQuery {
  /** Only events after this position; absent: from the oldest. */
  after?: number | undefined;
  /** Without `after`: the events that were logged at this time or later, and perhaps some before it. ISO 8601, UTC. */
  since?: string | undefined;
  limit: number;
  /** As in `Page`. */
  filter: Record<string, unknown>;
}

export interface EventPage {
  items: readonly LoggedEvent[];
  /** The position after which the next page begins; undefined: there is none at the moment. */
  next: number | undefined;
}

/** A reader that follows the log. */
export interface EventReader {
  /** A user, or an address where no token is required; each has a share of the readers. */
  owner: string;
  /** May have the places that are kept for administrators. */
  isAdministrator: boolean;
}

export interface Events {
  /**
   * Returns the oldest matching events after a position. A page of a rare kind may be short or empty and have a next one.
   * @throws EventsGone
   */
  list(query: EventQuery): Promise<EventPage>;
  /**
   * Returns all events after a position as they are written, and an empty batch about once a second in the meantime.
   * @param after undefined: only new events @param signal ends it
   * @param cut called when the reader has caught up and is now too slow; it gets no more events
   * @throws EventsGone, or NodewrightError TOO_MANY_REQUESTS
   */
  follow(
    after: number | undefined,
    signal: AbortSignal,
    cut: () => void,
    reader: EventReader,
  ): Promise<AsyncIterable<LoggedBatch>>;
  /** Returns whether an event is selected by the filter of a page. */
  selects(filter: Record<string, unknown>): (event: EventPayload) => boolean;
}
