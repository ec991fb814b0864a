/** Retries all workflows of a cause, and says how many are retried, and why others are not. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from '../data/daemon-client.ts';
import { ActionButton } from './action-button.tsx';
import { countText } from './count-texts.ts';

interface RetryAllProps {
  failure: Pick<GetAnswer<'/failures'>[number], 'id' | 'count'>;
  reload: () => void;
}

type BulkAction = GetAnswer<'/workflows/actions/:id'>;

/** ms between two looks at the action. */
const LOOK_AGAIN_MS = 500;

export function RetryAll({ failure: { id, count }, reload }: RetryAllProps) {
  const action = useSignal<BulkAction | undefined>(undefined);
  const follow = async (actionId: string) => {
    for (;;) {
      action.value = (await client.get('/workflows/actions/:id', { params: { id: actionId } })).body;
      if (action.value.status !== 'running') break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    reload();
  };
  const retry = async () => {
    const { body } = await client.put('/failures/:id/action', { params: { id }, body: { command: 'retry' } });
    if (body.action !== undefined) await follow(body.action);
  };
  const unsafe =
    action.value?.items.filter(({ code }) => code === 'RETRY_UNSAFE').map(({ workflow }) => workflow) ?? [];
  const acknowledge = async () => {
    const request = { command: 'retry', ids: unsafe, acknowledge: true } as const;
    await follow((await client.post('/workflows/actions', { body: request })).body.id);
  };
  return (
    <>
      <ActionButton kind="main" hotkey="r" run={retry}>
        {count === 1 ? 'Retry' : `Retry all ${count}`}
      </ActionButton>
      {unsafe.length > 0 && (
        <ActionButton kind="danger" run={acknowledge}>
          Retry {countText(unsafe.length, 'workflow')} although a task may have taken effect
        </ActionButton>
      )}
      {action.value !== undefined && <span role="status">{resultText(action.value)}</span>}
    </>
  );
}

/** `6 retried, 2 rejected: RETRY_UNSAFE`. */
function resultText({ items }: BulkAction): string {
  const rejected = items.filter(({ code }) => code !== null);
  const codes = [...new Set(rejected.map(({ code }) => code))].join(', ');
  const retried = items.filter(({ newWorkflow }) => newWorkflow !== undefined).length;
  return `${retried} retried${rejected.length === 0 ? '' : `, ${rejected.length} rejected: ${codes}`}`;
}
