/**
 * What hangs on a node goes with it, also what is hung on it while it is removed. No lock is needed: whoever hangs
 * something on a node looks afterwards whether the node is there, and takes it off again when it is not; whoever removes
 * a node takes off what hangs on it once more when the node is gone. One of the two finds it.
 */
import { NodewrightError } from '../define/errors.ts';

/** @returns those of the ids that are nodes */
export type Known = (ids: readonly string[]) => Promise<Set<string>>;

/** @throws NodewrightError NOT_FOUND, after `takeOff`, when one of the nodes is gone */
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
