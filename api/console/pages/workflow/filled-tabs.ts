/** Which tabs of a workflow may have something to show. */
import type { WorkflowStatus } from '../../../../engine/vocabulary/states.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';

interface EndedRun {
  status: WorkflowStatus;
  tasks: readonly { taskName: string }[];
}

/** Whether it ended and has erased drives, also if that failed. */
export const mayHaveCertificate = ({ status, tasks }: EndedRun): boolean =>
  !isActive(status) && tasks.some(({ taskName }) => /erase|sanitiz/i.test(taskName));
