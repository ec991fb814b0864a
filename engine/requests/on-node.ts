/** Finds the active workflows on a node: the one that holds the node, and its children, which share it. */
import type { WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';

const active = { $in: ['pending', 'running'] };
const WORKFLOWS = 100;

/** Returns the active workflows of a node, the holder first. */
export const activeOn = (
  stored: Pick<Collection<WorkflowRow>, 'find'>,
  node: string,
  limit = WORKFLOWS,
): Promise<WorkflowRow[]> => stored.find({ node, status: active }, { sort: { createdAt: 1 }, limit });
