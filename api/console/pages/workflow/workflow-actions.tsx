/** The actions on a workflow that make sense in its state, for users who may take them. */
import { useSignal } from '@preact/signals';
import { mayOperate } from '../../data/current-user.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CancelButton } from './cancel-button.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { sendCommand, type WorkflowCommand } from './send-command.ts';
import { isUnderWay, type WorkflowPartProps } from './shown-workflow.ts';

export function WorkflowActions({ workflow, reload }: WorkflowPartProps) {
  const isRetrying = useSignal(false);
  const { id, tasks, error, parent, paused } = workflow;
  if (!mayOperate.value) return null;
  const command = (name: WorkflowCommand, title: string) => (
    <ActionButton key={name} run={() => sendCommand(id, name).then(reload)}>
      {title}
    </ActionButton>
  );
  if (isUnderWay(workflow)) {
    const waitsForAttempt = tasks.some(({ waitingOn }) => waitingOn === 'retry' || waitingOn === 'bmc');
    return (
      <div class="actions">
        {paused !== null ? command('resume', 'Resume') : command('pause', 'Pause')}
        {waitsForAttempt && command('retry-now', 'Retry now')}
        {error?.code === 'QUARANTINED' && command('release', 'Release from quarantine')}
        <CancelButton workflow={workflow} reload={reload}>
          Cancel
        </CancelButton>
      </div>
    );
  }
  if (parent !== null) return null;
  return (
    <div class="actions">
      <button
        type="button"
        onClick={() => {
          isRetrying.value = true;
        }}
      >
        Run again
      </button>
      {isRetrying.value && (
        <RetryDialog
          workflow={workflow}
          close={() => {
            isRetrying.value = false;
          }}
        />
      )}
    </div>
  );
}
