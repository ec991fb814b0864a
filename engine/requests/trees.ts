/**
 * Trees of workflows: a workflow with its children, and theirs. A graph that runs itself would make children without end,
 * so a tree has a limit of depth and one of size.
 *
 * 1. The limits are checked before a child is made. Children that are launched at the same moment may exceed the size by
 *    as many as there are processes and open launches, which are bounded themselves.
 * 2. A tree whose root is cancelled gets no more children: the cancel would run behind those that are still made.
 */
import { type FlatError, NodewrightError } from '../define/errors.ts';
import { isActive } from '../define/states.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';

export interface ChildLimits {
  maxDepth: number;
  maxDescendants: number;
}

/** Where a child is in its tree. */
export interface Place {
  root: string;
  /** 1: a child of the root. */
  depth: number;
}

/** A parent that an earlier version made says nothing of its root. */
export const placeUnder = ({ id, root = id, depth = 0 }: Pick<WorkflowRow, 'id' | 'root' | 'depth'>): Place => ({
  root,
  depth: depth + 1,
});

/** The workflow is active, and its end is not decided yet. */
export const isGoingOn = (row: WorkflowRow | undefined): boolean =>
  row !== undefined && isActive(row.status) && row.cells.workflow?.snapshot.value === 'running';

/** The end of a child that is not begun any more. */
export const ending = (root: string): FlatError => ({
  name: 'NodewrightError',
  code: 'TASK_CANCELLED',
  message: `the workflow ${root} ends or has ended; it gets no more children`,
});

/** @throws NodewrightError TOO_MANY_CHILDREN */
export async function checkTree(
  { root, depth }: Place,
  stored: Collection<WorkflowRow>,
  limits: ChildLimits,
): Promise<void> {
  const { maxDepth, maxDescendants } = limits;
  if (depth > maxDepth) {
    throw tooMany(
      `this child would be ${depth} levels below the workflow ${root}; childGraphs.maxDepth is ${maxDepth}`,
    );
  }
  const found = await stored.count({ root });
  if (found >= maxDescendants) {
    throw tooMany(`the workflow ${root} has ${found} descendants; childGraphs.maxDescendants is ${maxDescendants}`);
  }
}

const tooMany = (found: string) =>
  new NodewrightError('TOO_MANY_CHILDREN', `${found}; run fewer graphs, or raise the limit in the configuration`);
