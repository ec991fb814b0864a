/** A workflow as its page shows it. */
import { isActive } from '../../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { nameOfNode } from '../../data/nodes.ts';

export type ShownWorkflow = GetAnswer<'/workflows/:id'>;
export type ShownTask = ShownWorkflow['tasks'][number];

export const isUnderWay = ({ status }: ShownWorkflow): boolean => isActive(status);
export const waitsForNode = ({ waitingOn }: ShownTask): boolean => waitingOn === 'notification';

export interface WorkflowPartProps {
  workflow: ShownWorkflow;
  /** Reads the workflow again, after the reader has changed it. */
  reload: () => void;
}

/** The name to type before something that cannot be undone: that of the node, or without a node that of the graph. */
export const nameToType = ({ node, injectableName }: ShownWorkflow): string =>
  node === null ? injectableName : nameOfNode(node);
