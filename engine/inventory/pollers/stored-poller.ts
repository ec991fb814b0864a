/** The stored form of a poller. */
import type { PollerRecord } from '../../api-port/pollers.ts';
import { type HasPendingEvents, pendingIndex } from '../../events/outbox/pending-events.ts';
import type { RedfishLogMark } from '../../hardware/obm/redfish-log-entries.ts';
import type { SelMark } from '../../hardware/obm/sel.ts';
import type { CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';

export type LogMark = SelMark | RedfishLogMark;

/** Its pending events are those of entries up to the mark. */
export interface StoredPoller extends PollerRecord, VersionedDocument, HasPendingEvents {
  /** Node and command; unique. null: a node may have several such pollers. */
  key: string | null;
  /** The secrets of its config, encrypted. */
  access?: string;
  /** Read position in its logs; null: not read yet. */
  mark: LogMark | null;
}

export const pollerSpec: CollectionSpec = {
  name: 'pollers',
  indexes: { node: 'text', type: 'text', key: 'text', createdAt: 'text', updatedAt: 'text', ...pendingIndex },
  unique: ['key'],
};
