/** Which work a node takes now, and why it does not take it: the one place for these rules. */
import type { GetAnswer } from '../../client/requests.ts';

type NodeState = Pick<GetAnswer<'/nodes/:identifier'>, 'active' | 'held'>;
type ShownHold = GetAnswer<'/nodes/:identifier/holds'>[number];
type Block = ShownHold['blocks'][number];

/** @param holds of the node; undefined: only their kinds are read */
function heldReason({ held }: NodeState, holds: readonly ShownHold[] | undefined, ...blocks: Block[]) {
  if (held.length === 0) return undefined;
  if (holds === undefined) return `The node is held: ${held.join(', ')}.`;
  const hold = holds.find((one) => one.blocks.some((block) => blocks.includes(block)));
  if (hold === undefined) return undefined;
  return `The node is held for ${hold.kind} by ${hold.createdBy ?? 'an unknown user'}: ${hold.reason}.`;
}

const busyReason = ({ active }: NodeState): string | undefined =>
  active === null
    ? undefined
    : `The node is busy with ${active.name}: the next workflow can be launched when it has ended.`;

/** Each is the reason why the node does not take it; undefined: it does. */
export const nodeCan = {
  launch: (node: NodeState, holds?: readonly ShownHold[]): string | undefined =>
    busyReason(node) ?? heldReason(node, holds, 'launch'),
  switchPower: (node: NodeState & { obms: readonly unknown[] }, holds?: readonly ShownHold[]): string | undefined =>
    node.obms.length === 0
      ? 'No access to a BMC is set up, so the power of the node cannot be switched.'
      : (busyReason(node) ?? heldReason(node, holds, 'launch', 'power')),
};
