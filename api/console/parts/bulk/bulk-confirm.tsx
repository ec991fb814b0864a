/**
 * The one question before a command to many workflows: what it does, to which, and to which not; then what became of them. Tasks
 * of a retry that run once and may have taken effect are acknowledged before; workflows with others are left as they are.
 */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { useBulkAction } from '../../data/bulk-actions.ts';
import { retryable, unsafeTasks } from '../../data/retry-effects.ts';
import { ActionButton } from '../action-button.tsx';
import { ConfirmName, isTyped } from '../confirm-name.tsx';
import { RetryUnsafe } from '../retry-unsafe.tsx';
import { type BulkEffects, NO_RETRIES, useBulkEffects } from './bulk-effects.ts';
import { BulkResult } from './bulk-result.tsx';
import { BulkNodes, BulkTargets } from './bulk-targets.tsx';
import { commandTitles, effects, type Takers } from './bulk-texts.ts';

interface BulkConfirmProps {
  command: BulkCommand;
  choice: Takers;
  /** Its effects, if they were read before. */
  read?: BulkEffects;
  reload: () => void;
  close: () => void;
}

export function BulkConfirm({ command, choice, read, reload, close }: BulkConfirmProps) {
  // Workflows that end while the reader reads do not change the question.
  const { takers, others } = useRef(choice).current;
  const followed = useBulkAction(reload);
  const typed = useSignal('');
  const acknowledged = useSignal<readonly string[]>([]);
  const bulkEffects = useBulkEffects(command, takers, read);
  const action = followed.action.value;
  if (action !== undefined) return <BulkResult followed={followed} action={action} workflows={takers} close={close} />;
  const { destructive = [], retries = NO_RETRIES } = bulkEffects.value ?? {};
  const unsafe = unsafeTasks(takers, retries);
  const ready = retryable(takers, retries, acknowledged.value);
  const waiting = takers.length - ready.length;
  const count = String(ready.length);
  const isDestructive = destructive.length > 0;
  const run = () => {
    const acknowledge = unsafe.size > 0 ? { acknowledge: [...acknowledged.value] } : {};
    return followed.start({ command, ids: ready.map(({ id }) => id), ...acknowledge });
  };
  return (
    <>
      <p>{effects[command]}</p>
      <BulkTargets workflows={takers} effects={retries} />
      {[...others].map(([reason, number]) => (
        <p class="quiet" key={reason}>
          {countText(number, 'workflow')} left as {number === 1 ? 'it is' : 'they are'}: {reason}
        </p>
      ))}
      <RetryUnsafe
        labels={[...unsafe.keys()]}
        acknowledged={acknowledged}
        where={(label) => <BulkNodes workflows={unsafe.get(label) ?? []} />}
      />
      {waiting > 0 && (
        <p role="status">
          {countText(waiting, 'workflow')} {waiting === 1 ? 'stays as it is until its' : 'stay as they are until their'}{' '}
          tasks are chosen.
        </p>
      )}
      {isDestructive && (
        <>
          <p class="problem">
            {command === 'cancel' ? 'May be destroying data' : 'Destroys data'}: {destructive.join(', ')}
          </p>
          <ConfirmName name={count} typed={typed} hint="The number of the workflows" />
        </>
      )}
      <div class="actions">
        <ActionButton
          kind={command === 'cancel' ? 'danger' : 'main'}
          reason={ready.length === 0 ? 'Choose the tasks that may run again.' : undefined}
          disabled={bulkEffects.value === undefined || (isDestructive && !isTyped(typed, count))}
          run={run}
        >
          {commandTitles[command]} {ready.length > 0 && countText(ready.length, 'workflow')}
        </ActionButton>
        <button type="button" onClick={close}>
          Back
        </button>
      </div>
    </>
  );
}
