/** Runs a failed workflow again from its failed task. It asks first if that destroys data, or may repeat an effect. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { RequestError } from '../../data/request-error.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { unsafeLabelsOf } from '../../parts/retry-unsafe.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { retryWorkflow } from './send-command.ts';
import type { ShownWorkflow } from './shown-workflow.ts';
import { mayDestroyData } from './workflow-plan.ts';

interface RetryButtonProps {
  workflow: ShownWorkflow;
  /** A letter that presses it. */
  hotkey?: string;
}

export function RetryButton({ workflow, hotkey }: RetryButtonProps) {
  const { route } = useLocation();
  /** The labels to acknowledge; undefined: nothing is asked. */
  const asks = useSignal<readonly string[] | undefined>(undefined);
  const retry = async () => {
    if (await mayDestroyData(workflow)) {
      asks.value = [];
      return;
    }
    try {
      route(`/ui/workflows/${await retryWorkflow(workflow.id, { from: 'failed' })}`);
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'RETRY_UNSAFE') throw error;
      asks.value = unsafeLabelsOf(error);
    }
  };
  return (
    <>
      <ActionButton kind="main" hotkey={hotkey} run={retry}>
        Retry
      </ActionButton>
      {asks.value !== undefined && (
        <RetryDialog
          workflow={workflow}
          unsafe={asks.value}
          close={() => {
            asks.value = undefined;
          }}
        />
      )}
    </>
  );
}
