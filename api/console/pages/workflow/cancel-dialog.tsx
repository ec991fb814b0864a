/** Before a workflow that may be destroying data is cancelled. */
import { useSignal } from '@preact/signals';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmName, isTyped } from '../../parts/confirm-name.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { sendCommand } from './send-command.ts';
import { nameToType, type WorkflowPartProps } from './shown-workflow.ts';

export function CancelDialog({ workflow, reload, close }: WorkflowPartProps & { close: () => void }) {
  const typed = useSignal('');
  const name = nameToType(workflow);
  const cancel = async () => {
    await sendCommand(workflow.id, 'cancel');
    reload();
    close();
  };
  return (
    <Dialog title="Cancel the workflow" close={close}>
      <p>
        {workflow.injectableName} may be destroying data on {name}. A cancel ends it as soon as nothing of it runs any
        more.
      </p>
      <ConfirmName name={name} typed={typed} />
      <div class="actions">
        <ActionButton kind="danger" disabled={!isTyped(typed, name)} run={cancel}>
          Cancel the workflow
        </ActionButton>
      </div>
    </Dialog>
  );
}
