/**
 * The claim of a node by a launch: a step of the node's actor, which also asks for the workflow. Of concurrent launches
 * one wins, and its workflow is created even if the process dies in between.
 */
import type { StartCommand } from '../../durable/actors/messages.ts';
import type { Sender } from '../../durable/runtime/sender.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

const BUSY = 'Unable to run multiple task graphs against a single target.';

export const nodeBusy = (holder: string) =>
  new NodewrightError('NODE_BUSY', BUSY, {
    violations: [{ path: 'node', message: `the workflow ${holder} is active on it` }],
  });

export const unknownNode = (identifier: string) =>
  new NodewrightError('NOT_FOUND', `Could not find node with identifier ${identifier}`);

/** @returns false: the workflow is created later, because the store is unavailable. @throws NodewrightError NODE_BUSY */
export async function claimNode(send: Sender, start: StartCommand): Promise<boolean> {
  const first = await tryClaim(send, start);
  if (first.holder === start.id) return first.isSettled;
  if (!(await send.syncEnded(start.mailboxId, first.holder))) throw nodeBusy(first.holder);
  const second = await tryClaim(send, start);
  if (second.holder !== start.id) throw nodeBusy(second.holder);
  return second.isSettled;
}

/** @returns the workflow that now holds the node, and whether it was created if it is this one */
async function tryClaim(send: Sender, start: StartCommand): Promise<{ holder: string; isSettled: boolean }> {
  const { row, settled } = await send.node(start.mailboxId, { type: 'launch', start });
  // The node was deleted after it was found.
  if (row.retired) throw unknownNode(start.mailboxId);
  return { holder: row.workflow ?? '', isSettled: await settled };
}
