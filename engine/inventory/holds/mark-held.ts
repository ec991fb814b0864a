/** The mark of a node's actor, after which each launch reads the holds of the node. */

import type { Sender } from '../../durable/runtime/sender.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

/**
 * Resolves when the mark is saved, and a launch that took the node before has begun its workflow: the effects of all
 * earlier steps of the actor have run, also those of a process that has died.
 * @throws NodewrightError UNAVAILABLE if one of them cannot run now; the mark is saved
 */
export async function markHeld(send: Pick<Sender, 'node'>, node: string, mark: string): Promise<void> {
  const { settled } = await send.node(node, { type: 'hold', mark });
  if (await settled) return;
  throw new NodewrightError(
    'UNAVAILABLE',
    `a launch took the node ${node} before the hold, and its workflow cannot begin yet; look at the holds, then try again`,
  );
}
