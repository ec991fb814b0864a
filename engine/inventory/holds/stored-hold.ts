/** The document of a hold. */
import type { HoldRecord } from '../../api-port/holds.ts';
import { type HasPendingEvents, pendingIndex } from '../../events/outbox/pending-events.ts';
import type { CollectionSpec, Filter } from '../../platform/store/port.ts';
import type { HoldBlock } from '../../vocabulary/states.ts';

export type StoredHold = HoldRecord & HasPendingEvents;

export const holdSpec: CollectionSpec = {
  name: 'holds',
  indexes: {
    node: 'text',
    kind: 'text',
    until: 'text',
    createdBy: 'text',
    createdAt: 'text',
    updatedAt: 'text',
    ...pendingIndex,
  },
};

/** Selects the holds that have not ended. @param at ISO 8601 */
export const holdingAt = (at: string): Filter => ({ $or: [{ until: null }, { until: { $gt: at } }] });

export const holdRecordOf = ({ pending: _, pendingCount: __, ...record }: StoredHold): HoldRecord => record;

export const blocksAny = ({ blocks }: Pick<HoldRecord, 'blocks'>, wanted: readonly HoldBlock[]): boolean =>
  wanted.some((block) => blocks.includes(block));
