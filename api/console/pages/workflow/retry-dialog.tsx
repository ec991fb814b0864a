/**
 * Runs a workflow again: from its failed task, the start, or a task that is chosen in the drawing. Tasks that run once and
 * may have taken effect have to be acknowledged, one by one.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { RequestError } from '../../data/request-error.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmName, isTyped } from '../../parts/confirm-name.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import type { PickedItem } from '../../parts/graph/graph-drawing.tsx';
import { RetryUnsafe, unsafeLabelsOf } from '../../parts/retry-unsafe.tsx';
import { retryWorkflow } from './send-command.ts';
import { nameToType, type ShownWorkflow } from './shown-workflow.ts';
import { WorkflowGraph } from './workflow-graph.tsx';
import { mayDestroyData } from './workflow-plan.ts';

interface RetryDialogProps {
  workflow: ShownWorkflow;
  /** The labels that are known to need it. */
  unsafe?: readonly string[];
  close: () => void;
}

export function RetryDialog({ workflow, unsafe: unsafeAtFirst = [], close }: RetryDialogProps) {
  const { route } = useLocation();
  const { id, status, tasks } = workflow;
  const from = useSignal(status === 'succeeded' ? 'start' : 'failed');
  const isNewest = useSignal(false);
  const unsafe = useSignal(unsafeAtFirst);
  const acknowledged = useSignal<readonly string[]>([]);
  const isDestructive = useSignal<boolean | undefined>(undefined);
  const typed = useSignal('');
  useEffect(() => {
    mayDestroyData(workflow).then(
      (isDestructiveRetry) => {
        isDestructive.value = isDestructiveRetry;
      },
      () => {
        isDestructive.value = true;
      },
    );
  }, [id]);
  const begun = tasks.filter(({ startedAt, compensates }) => startedAt !== null && compensates === undefined);
  const choose = (label: string) => {
    [from.value, unsafe.value, acknowledged.value] = [label, [], []];
  };
  const pick = (picked: PickedItem) => {
    if (picked.kind === 'label' && begun.some(({ label }) => label === picked.label)) choose(picked.label);
  };
  const retry = async () => {
    const body = {
      from: from.value,
      ...(acknowledged.value.length > 0 && { acknowledge: [...acknowledged.value] }),
      ...(isNewest.value && { definition: 'newest' as const }),
    };
    try {
      const created = await retryWorkflow(id, body);
      close();
      route(`/ui/workflows/${created}`);
    } catch (error) {
      if (error instanceof RequestError && error.code === 'RETRY_UNSAFE')
        unsafe.value = [...new Set([...unsafe.value, ...unsafeLabelsOf(error)])];
      throw error;
    }
  };
  const name = nameToType(workflow);
  const isBlocked =
    isDestructive.value === undefined ||
    (isDestructive.value && !isTyped(typed, name)) ||
    unsafe.value.some((label) => !acknowledged.value.includes(label));
  return (
    <Dialog title="Run again" close={close}>
      <p>It runs as a new workflow. Tasks that succeeded before it begins count as done and do not run.</p>
      <Field label="From" hint="A click on a task in the drawing chooses it, if it has begun.">
        <select value={from.value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {status !== 'succeeded' && <option value="failed">the failed task</option>}
          <option value="start">the start</option>
          {begun.map(({ label }) => (
            <option key={label} value={label}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <WorkflowGraph workflow={workflow} select={pick} selected={from.value} />
      <p>
        <label>
          <input
            type="checkbox"
            checked={isNewest.value}
            onChange={({ currentTarget }) => {
              isNewest.value = currentTarget.checked;
            }}
          />{' '}
          on the newest version of the graph, instead of its own
        </label>
      </p>
      <RetryUnsafe labels={unsafe.value} acknowledged={acknowledged} />
      {isDestructive.value === true && (
        <>
          <p class="problem">{workflow.injectableName} destroys data.</p>
          <ConfirmName name={name} typed={typed} />
        </>
      )}
      <div class="actions">
        <ActionButton kind="main" disabled={isBlocked} run={retry}>
          Run again
        </ActionButton>
      </div>
    </Dialog>
  );
}
