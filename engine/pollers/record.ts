/** The stored form of a poller. */
import type { PollerRecord } from '../api-port/pollers.ts';
import type { ListedEvent } from '../define/event.ts';
import type { SelMark } from '../obm/sel.ts';
import type { CollectionSpec, Versioned } from '../store/port.ts';

export interface StoredPoller extends PollerRecord, Versioned {
  /** Node and command; unique. */
  key: string;
  /** Read position in the log; null: not read yet. */
  mark: SelMark | null;
  /** Events of entries up to the mark that may not be published yet. */
  untold: ListedEvent[];
}

export const pollerSpec: CollectionSpec = {
  name: 'pollers',
  indexes: { node: 'text', type: 'text', key: 'text', createdAt: 'text', updatedAt: 'text' },
  unique: ['key'],
};
