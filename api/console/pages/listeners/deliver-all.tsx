/** Sends again all deliveries that did not reach the receiver of a hook. */
import { useSignal } from '@preact/signals';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { deliverAllAgain } from '../../data/redelivery.ts';
import { ActionButton } from '../../parts/action-button.tsx';

export function DeliverAll({ hook, again }: { hook: string; again: () => void }) {
  const count = useSignal<number | undefined>(undefined);
  const run = async () => {
    count.value = await deliverAllAgain(hook);
    again();
  };
  return (
    <>
      <ActionButton run={run}>Deliver all again</ActionButton>
      {count.value !== undefined && (
        <span role="status">
          {count.value === 0 ? 'no delivery waits' : `${countText(count.value, 'delivery', 'deliveries')} due now`}
        </span>
      )}
    </>
  );
}
