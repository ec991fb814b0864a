/** A poller as it is kept. */
import type { PollerRecord } from '../api-port/pollers.ts';
import type { EventPayload } from '../define/event.ts';
import type { SelMark } from '../obm/sel.ts';
import type { CollectionSpec, Versioned } from '../store/port.ts';

export interface StoredPoller extends PollerRecord, Versioned {
  /** Node and command: no node has two of one. */
  key: string;
  /** How far the log was read; null: not yet. */
  mark: SelMark | null;
  /** What was found by then, and was not told for certain. */
  untold: EventPayload[];
}

export const pollerSpec: CollectionSpec = {
  name: 'pollers',
  indexes: { node: 'text', type: 'text', key: 'text', createdAt: 'text', updatedAt: 'text' },
  unique: ['key'],
};
