/** Which commands a workflow takes now, and why it does not take the others: the one place for these rules. */
import { isActive } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';

type WorkflowState = Pick<GetAnswer<'/workflows/:id'>, 'status' | 'paused' | 'parent' | 'error'>;
interface WithTasks extends WorkflowState {
  tasks: readonly Pick<GetAnswer<'/workflows/:id'>['tasks'][number], 'waitingOn'>[];
}

const endReason = ({ status }: WorkflowState) => (isActive(status) ? undefined : 'The workflow has ended.');

const retryReason = ({ status, parent }: WorkflowState): string | undefined =>
  isActive(status)
    ? 'The workflow has not ended: cancel it first.'
    : parent === null
      ? undefined
      : 'It is a part of another workflow: run that one again.';

/** Each command with the reason why the workflow does not take it; undefined: it does. */
export const workflowCan = {
  retry: retryReason,
  /** A retry at the task that failed. */
  retryFailed: (workflow: WorkflowState): string | undefined =>
    workflow.status === 'succeeded' ? 'The workflow succeeded: its own page runs it again.' : retryReason(workflow),
  cancel: endReason,
  pause: (workflow: WorkflowState): string | undefined =>
    endReason(workflow) ?? (workflow.paused === null ? undefined : 'The workflow is paused.'),
  resume: (workflow: WorkflowState): string | undefined =>
    endReason(workflow) ?? (workflow.paused === null ? 'The workflow is not paused.' : undefined),
  retryNow: (workflow: WithTasks): string | undefined =>
    endReason(workflow) ??
    (workflow.tasks.some(({ waitingOn }) => waitingOn === 'retry' || waitingOn === 'bmc')
      ? undefined
      : 'No task waits for its next attempt, or for a BMC.'),
  release: ({ error }: WorkflowState): string | undefined =>
    error?.code === 'QUARANTINED' ? undefined : 'The workflow is not in quarantine.',
};
