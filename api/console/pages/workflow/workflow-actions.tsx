/** The actions on a workflow; those that make no sense in its state say why. */
import { useSignal } from '@preact/signals';
import { workflowCan } from '../../data/workflow-can.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { CancelButton } from './cancel-button.tsx';
import { RetryButton } from './retry-button.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { sendCommand, type WorkflowCommand } from './send-command.ts';
import type { WorkflowPartProps } from './shown-workflow.ts';

export function WorkflowActions({ workflow, reload }: WorkflowPartProps) {
  const isRetrying = useSignal(false);
  const { id, paused } = workflow;
  const command = (name: WorkflowCommand, title: string, reason?: string) => (
    <ActionButton key={name} reason={reason} run={() => sendCommand(id, name).then(reload)}>
      {title}
    </ActionButton>
  );
  const retryReason = workflowCan.retry(workflow);
  return (
    <NeedsRight owner={workflow.owner}>
      <div class="actions page-actions">
        {paused === null
          ? command('pause', 'Pause', workflowCan.pause(workflow))
          : command('resume', 'Resume', workflowCan.resume(workflow))}
        {workflowCan.retryNow(workflow) === undefined && command('retry-now', 'Retry now')}
        {workflowCan.release(workflow) === undefined && command('release', 'Release from quarantine')}
        <CancelButton workflow={workflow} reload={reload} reason={workflowCan.cancel(workflow)}>
          Cancel
        </CancelButton>
        {workflow.status !== 'succeeded' && workflowCan.retryFailed(workflow) === undefined && (
          <RetryButton workflow={workflow} hotkey="r" />
        )}
        <button
          type="button"
          title={retryReason}
          disabled={retryReason !== undefined}
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
    </NeedsRight>
  );
}
