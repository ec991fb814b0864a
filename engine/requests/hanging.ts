/**
 * Cascade delete: a node's dependents are deleted with it, including those added during the deletion.
 * No lock is needed: the code that adds a dependent checks afterwards that the node exists, and removes
 * the dependent if it does not; the code that deletes a node removes its dependents once more after the
 * node is deleted. One of the two finds it.
 */
import { NodewrightError } from '../define/errors.ts';

/** @returns the subset of the ids that belong to existing nodes */
export type Known = (ids: readonly string[]) => Promise<Set<string>>;

/** @throws NodewrightError NOT_FOUND, after `takeOff`, when one of the nodes does not exist */
export async function hung(
  known: Known,
  nodes: readonly string[],
  takeOff: (gone: string[]) => Promise<unknown>,
): Promise<void> {
  const there = await known(nodes);
  const gone = nodes.filter((id) => !there.has(id));
  if (gone.length === 0) return;
  await takeOff(gone);
  throw new NodewrightError('NOT_FOUND', `Could not find node with identifier ${gone[0]}`);
}
