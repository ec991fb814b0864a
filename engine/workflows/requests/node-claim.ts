/**
 * The claim of a node by a launch: a step of the node's actor, which also asks for the workflow. Of concurrent launches
 * one wins, and its workflow is created even if the process dies in between. A node that has, or had, holds is claimed by the
 * mark of its actor, before which the holds were read (`launch-holds.ts`).
 */
import type { SeenHolds, StartCommand } from '../../durable/actors/messages.ts';
import type { Sender } from '../../durable/runtime/sender.ts';
import { contextOf } from '../../durable/step/node.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { LaunchPass } from './launch-holds.ts';

const BUSY = 'Unable to run multiple task graphs against a single target.';
/** Holds that are added while the launch looks at those before. */
const LOOKS = 10;

/** Admits the launch to a node with this mark. @throws NodewrightError NODE_HELD */
export type PassHolds = (mark: string) => Promise<LaunchPass>;

export const nodeBusy = (holder: string) =>
  new NodewrightError('NODE_BUSY', BUSY, {
    violations: [{ path: 'node', message: `the workflow ${holder} is active on it` }],
  });

export const unknownNode = (identifier: string) =>
  new NodewrightError('NOT_FOUND', `Could not find node with identifier ${identifier}`);

/**
 * @returns false: the workflow is created later, because the store is unavailable
 * @throws NodewrightError NODE_BUSY, NODE_HELD
 */
export async function claimNode(send: Sender, start: StartCommand, pass: PassHolds): Promise<boolean> {
  const first = await claimPassing(send, start, pass);
  if (first.holder === start.id) return first.isSettled;
  if (!(await send.syncEnded(start.mailboxId, first.holder))) throw nodeBusy(first.holder);
  const second = await claimPassing(send, start, pass);
  if (second.holder !== start.id) throw nodeBusy(second.holder);
  return second.isSettled;
}

interface Claim {
  /** The workflow that now holds the node; '': none, because the mark of the node was not named. */
  holder: string;
  /** Whether the workflow was created, if it is the holder. */
  isSettled: boolean;
  mark: string;
}

async function claimPassing(send: Sender, start: StartCommand, pass: PassHolds): Promise<Claim> {
  let claim = await tryClaim(send, start);
  for (let looks = 0; claim.holder === '' && looks < LOOKS; looks += 1) {
    const { seen, override } = await pass(claim.mark);
    claim = await tryClaim(send, override === undefined ? start : { ...start, override }, seen);
  }
  if (claim.holder === '')
    throw new NodewrightError('UNAVAILABLE', 'the holds of the node change too often; try again');
  return claim;
}

async function tryClaim(send: Sender, start: StartCommand, seen?: SeenHolds): Promise<Claim> {
  const { row, settled } = await send.node(start.mailboxId, { type: 'launch', start, ...(seen && { seen }) });
  // The node was deleted after it was found.
  if (row.retired) throw unknownNode(start.mailboxId);
  const mark = row.workflow === null ? contextOf(row).holdMark : null;
  return { holder: row.workflow ?? '', isSettled: await settled, mark: mark ?? '' };
}
