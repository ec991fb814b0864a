/** Which tabs of a workflow may have something to show. */
import type { WorkflowStatus } from '../../../../engine/vocabulary/states.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';

interface EndedRun {
  status: WorkflowStatus;
  tasks: readonly { taskName: string }[];
}

/** Whether it may wait, or has failed: others have no more to say than their state. */
export const hasReason = ({ status }: Pick<EndedRun, 'status'>): boolean => isActive(status) || status === 'failed';

/** Whether it ended and has erased drives, also if that failed. */
export const mayHaveCertificate = ({ status, tasks }: EndedRun): boolean =>
  !isActive(status) && tasks.some(({ taskName }) => /erase|sanitiz/i.test(taskName));
