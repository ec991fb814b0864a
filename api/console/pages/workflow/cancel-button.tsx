/** Cancels a workflow; asks first if it may be destroying data. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ActionButton } from '../../parts/action-button.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { sendCommand } from './send-command.ts';
import type { WorkflowPartProps } from './shown-workflow.ts';
import { mayDestroyData } from './workflow-plan.ts';

interface CancelButtonProps extends WorkflowPartProps {
  /** Why it is disabled; absent: it is not. */
  reason?: string | undefined;
  children: ComponentChildren;
}

export function CancelButton({ workflow, reload, reason, children }: CancelButtonProps) {
  const isAsking = useSignal(false);
  const cancel = async () => {
    if (await mayDestroyData(workflow)) isAsking.value = true;
    else await sendCommand(workflow.id, 'cancel').then(reload);
  };
  return (
    <>
      <ActionButton kind="danger" reason={reason} run={cancel}>
        {children}
      </ActionButton>
      {isAsking.value && (
        <CancelDialog
          workflow={workflow}
          reload={reload}
          close={() => {
            isAsking.value = false;
          }}
        />
      )}
    </>
  );
}
