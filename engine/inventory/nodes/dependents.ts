/**
 * Cascade delete: a node's dependents are deleted with it, including those added during the deletion.
 * No lock is needed: the code that adds a dependent checks afterwards that the node exists, and removes
 * the dependent if it does not; the code that deletes a node removes its dependents once more after the
 * node is deleted. One of the two finds it.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';

/** @returns the subset of the ids that belong to existing nodes */
export type ExistingNodes = (ids: readonly string[]) => Promise<Set<string>>;

/** Updates the time of a node's record, after a change to its dependents. */
export type TouchNode = (id: string) => Promise<unknown>;

/** @throws NodewrightError NOT_FOUND, after `remove`, when one of the nodes does not exist */
export async function removeFromMissing(
  existingNodes: ExistingNodes,
  nodes: readonly string[],
  remove: (missing: string[]) => Promise<unknown>,
): Promise<void> {
  const there = await existingNodes(nodes);
  const missing = nodes.filter((id) => !there.has(id));
  if (missing.length === 0) return;
  await remove(missing);
  throw new NodewrightError('NOT_FOUND', `Could not find node with identifier ${missing[0]}`);
}
