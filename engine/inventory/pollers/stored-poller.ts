/** The stored form of a poller. */
import type { PollerRecord } from '../../api-port/pollers.ts';
import { completeEvents } from '../../events/outbox/pending-event.ts';
import { type HasPendingEvents, pendingIndex, withPending } from '../../events/outbox/pending-events.ts';
import type { SelMark } from '../../hardware/obm/sel.ts';
import type { CollectionSpec, Versioned } from '../../platform/store/port.ts';
import type { ListedEvent } from '../../vocabulary/event.ts';

/** Its pending events are those of entries up to the mark. */
export interface StoredPoller extends PollerRecord, Versioned, HasPendingEvents {
  /** Node and command; unique. null: a node may have several such pollers. */
  key: string | null;
  /** The secrets of its config, encrypted. */
  access?: string;
  /** Read position in the log; null: not read yet. */
  mark: SelMark | null;
}

export const pollerSpec: CollectionSpec = {
  name: 'pollers',
  indexes: { node: 'text', type: 'text', key: 'text', createdAt: 'text', updatedAt: 'text', ...pendingIndex },
  unique: ['key'],
};

/** Earlier versions had a list of events in `untold`. */
export function upgradedPoller(poller: StoredPoller): StoredPoller {
  const { untold } = poller as { untold?: unknown };
  if (!Array.isArray(untold)) return poller;
  return withPending(poller, untold.length === 0 ? [] : [completeEvents(untold as ListedEvent[])]);
}
