/**
 * Trees of workflows: a workflow with its descendants. A graph that runs itself would create children endlessly, so a
 * tree has a limit of depth and a limit of size.
 *
 * 1. The limits are checked before a child is created. Children launched at the same time may exceed the size limit by
 *    the number of processes and open launches, which are bounded themselves.
 * 2. A tree whose root is being cancelled gets no more children: the cancellation would not reach children created later.
 * 3. A workflow that compensates is the root of the children that its compensations run, because the cancellation does
 *    not apply to them. Its earlier children have ended.
 */

import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Collection } from '../../platform/store/port.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';

export interface ChildLimits {
  maxDepth: number;
  maxDescendants: number;
}

/** The position of a child in its tree. */
export interface TreePlace {
  root: string;
  /** 1: a child of the root. */
  depth: number;
}

const stateOf = ({ actors }: Pick<WorkflowRow, 'actors'>): unknown => actors.workflow?.snapshot.value;

/** Returns the position of a child of the given parent. */
export function placeUnder(parent: Pick<WorkflowRow, 'id' | 'root' | 'depth' | 'actors'>): TreePlace {
  const { id, root = id, depth = 0 } = parent;
  return { root: stateOf(parent) === 'compensating' ? id : root, depth: depth + 1 };
}

/** Whether the workflow is active, and its operations are not being stopped. */
export const isGoingOn = (row: WorkflowRow | undefined): boolean =>
  row !== undefined && isActive(row.status) && ['running', 'compensating'].includes(String(stateOf(row)));

/** Returns the error of a child that is no longer started because its tree is ending. */
export const ending = (root: string): FlatError => ({
  name: 'NodewrightError',
  code: 'TASK_CANCELLED',
  message: `the workflow ${root} is ending or has ended; it gets no more children`,
});

/** @throws NodewrightError TOO_MANY_CHILDREN */
export async function checkTree(
  { root, depth }: TreePlace,
  stored: Pick<Collection<WorkflowRow>, 'count'>,
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
    throw tooMany(
      `the workflow ${root} has ${countText(found, 'descendant')}; childGraphs.maxDescendants is ${maxDescendants}`,
    );
  }
}

const tooMany = (found: string) =>
  new NodewrightError('TOO_MANY_CHILDREN', `${found}; run fewer graphs, or raise the limit in the configuration`);
