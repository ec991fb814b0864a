/** The mark of a node's actor, after which each launch reads the owner of the node again. */
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { MarkOwned } from './owner-changes.ts';

interface MarkingRuntime {
  send: Pick<Runtime['send'], 'node'>;
  records: { workflows: Pick<Runtime['records']['workflows'], 'load'> };
}

/**
 * Resolves when the mark is saved, and a launch that took the node before has begun its workflow. A launch has to look at a node with
 * a mark, as if it were held (`durable/actors/node.ts`).
 */
export async function markOwned({ send, records }: MarkingRuntime, node: string, mark: string): ReturnType<MarkOwned> {
  const { row, settled } = await send.node(node, { type: 'hold', mark });
  if (row.workflow === null) return null;
  await settled;
  const holder = await records.workflows.load(row.workflow);
  if (holder !== undefined && !isActive(holder.status)) return null;
  return { workflow: row.workflow, owner: holder?.owner ?? null };
}
