/** A workflow as its page shows it. */
import { isActive } from '../../../../engine/define/states.ts';
import type { Got } from '../../../client/requests.ts';

export type ShownWorkflow = Got<'/workflows/:id'>;
export type ShownTask = ShownWorkflow['tasks'][number];

export const isUnderWay = ({ status }: ShownWorkflow): boolean => isActive(status);
export const waitsForNode = ({ waitingOn }: ShownTask): boolean => waitingOn === 'notification';

export interface WorkflowPartProps {
  workflow: ShownWorkflow;
  /** Reads the workflow again, after the reader has changed it. */
  reload: () => void;
}
