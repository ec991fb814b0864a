/** The retry of those that a bulk retry has left, because a task that runs once may have taken effect. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { FollowedAction } from '../../data/bulk-actions.ts';
import { unsafeRetries } from '../../data/bulk-results.ts';
import { ActionButton } from '../action-button.tsx';

export function AcknowledgedRetry({ followed: { action, start } }: { followed: FollowedAction }) {
  const ids = action.value === undefined ? [] : unsafeRetries(action.value);
  if (ids.length === 0) return null;
  return (
    <ActionButton kind="danger" run={() => start({ command: 'retry', ids, acknowledge: true })}>
      Retry {countText(ids.length, 'workflow')} although a task may have taken effect
    </ActionButton>
  );
}
