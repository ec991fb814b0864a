/** The notes of users on a failure. The failure itself is not stored: it follows from the workflows. */
import type { FailureRecord } from '../../api-port/failures.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';

export interface StoredFailure {
  id: string;
  addressed: FailureRecord['addressed'];
  /** The last one. */
  note: FailureRecord['note'];
  updatedAt: string;
}

export const failureSpec: CollectionSpec = { name: 'failures', indexes: { updatedAt: 'text' } };
