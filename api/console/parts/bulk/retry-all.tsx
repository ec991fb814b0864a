/**
 * Retries all workflows of a cause, and says how many are retried, and why others are not. It asks first if that destroys data,
 * or may repeat an effect.
 */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { affectedWorkflows } from '../../data/affected-workflows.ts';
import { useBulkAction } from '../../data/bulk-actions.ts';
import { resultText } from '../../data/bulk-results.ts';
import { client } from '../../data/daemon-client.ts';
import { unsafeTasks } from '../../data/retry-effects.ts';
import { ActionButton } from '../action-button.tsx';
import { Dialog } from '../dialog.tsx';
import { AcknowledgedRetry } from './acknowledged-retry.tsx';
import { BulkConfirm } from './bulk-confirm.tsx';
import { type BulkEffects, readBulkEffects } from './bulk-effects.ts';
import { type Takers, takersOf } from './bulk-texts.ts';

interface RetryAllProps {
  failure: GetAnswer<'/failures'>[number];
  reload: () => void;
  /** The key `r` presses it. */
  hasKey?: boolean;
}

export function RetryAll({ failure, reload, hasKey = false }: RetryAllProps) {
  const { id, retries } = failure;
  const followed = useBulkAction(reload);
  /** undefined: nothing is asked. */
  const asks = useSignal<{ choice: Takers; read: BulkEffects } | undefined>(undefined);
  const retry = async () => {
    const choice = takersOf('retry', await affectedWorkflows(failure));
    const read = await readBulkEffects('retry', choice.takers);
    if (read.destructive.length > 0 || unsafeTasks(choice.takers, read.retries).size > 0) {
      asks.value = { choice, read };
      return;
    }
    const { body } = await client.put('/failures/:id/action', { params: { id }, body: { command: 'retry' } });
    if (body.action !== undefined) await followed.follow(body.action);
  };
  const close = () => {
    asks.value = undefined;
  };
  const action = followed.action.value;
  return (
    <>
      <ActionButton kind="main" hotkey={hasKey ? 'r' : undefined} run={retry}>
        {retries === 1 ? 'Retry' : `Retry all ${retries}`}
      </ActionButton>
      <AcknowledgedRetry followed={followed} />
      {action !== undefined && <span role="status">{resultText(action)}</span>}
      {asks.value !== undefined && (
        <Dialog title="Retry workflows" close={close}>
          <BulkConfirm command="retry" {...asks.value} reload={reload} close={close} />
        </Dialog>
      )}
    </>
  );
}
