/** Retries all workflows of a cause, and says how many are retried, and why others are not. */
import type { GetAnswer } from '../../client/requests.ts';
import { resultText, useBulkAction } from '../data/bulk-actions.ts';
import { client } from '../data/daemon-client.ts';
import { AcknowledgedRetry } from './acknowledged-retry.tsx';
import { ActionButton } from './action-button.tsx';

interface RetryAllProps {
  failure: Pick<GetAnswer<'/failures'>[number], 'id' | 'retries'>;
  reload: () => void;
  /** The key `r` presses it. */
  hasKey?: boolean;
}

export function RetryAll({ failure: { id, retries }, reload, hasKey = false }: RetryAllProps) {
  const followed = useBulkAction(reload);
  const retry = async () => {
    const { body } = await client.put('/failures/:id/action', { params: { id }, body: { command: 'retry' } });
    if (body.action !== undefined) await followed.follow(body.action);
  };
  const action = followed.action.value;
  return (
    <>
      <ActionButton kind="main" hotkey={hasKey ? 'r' : undefined} run={retry}>
        {retries === 1 ? 'Retry' : `Retry all ${retries}`}
      </ActionButton>
      <AcknowledgedRetry followed={followed} />
      {action !== undefined && <span role="status">{resultText(action)}</span>}
    </>
  );
}
