/** Why a launch cannot start yet: the one place for these rules. */
import type { LaunchNode, PlanOfNode } from '../../data/launch-node.ts';
import { planSum, rejectionsOfPlan } from '../../data/plan-rows.ts';
import { rejectionText } from './rejection-text.ts';

/** Nodes of one batch. */
const BATCH_NODES = 10_000;

export const TOO_MANY = `A batch has at most ${BATCH_NODES.toLocaleString()} nodes: narrow the choice.`;
export const isTooMany = (nodes: readonly unknown[]): boolean => nodes.length > BATCH_NODES;

interface LaunchState {
  nodes: readonly LaunchNode[];
  /** undefined: not made yet. */
  plans: readonly PlanOfNode[] | undefined;
  /** False: an option is no JSON. */
  isReadable: boolean;
  /** The plans are those of these options. */
  isReady: boolean;
}

/** These rejections are the same on every node. */
const FOR_ALL: readonly string[] = ['INVALID_OPTIONS', 'LAUNCH_RESTRICTED'];

/** @returns undefined: nothing prevents it, except a ticket that is missing */
export function launchReason({ nodes, plans, isReadable, isReady }: LaunchState): string | undefined {
  if (isTooMany(nodes)) return TOO_MANY;
  if (!isReadable) return 'An option cannot be read: correct it.';
  if (!isReady || plans === undefined) return 'The plan is being made.';
  const rejections = plans.flatMap(({ plan }) => rejectionsOfPlan(plan));
  if (nodes.length < 2) return rejections[0] && rejectionText(rejections[0]);
  const { common, ready } = planSum(nodes, plans);
  const forAll = common.find(({ code }) => FOR_ALL.includes(code));
  if (forAll !== undefined) return rejectionText(forAll);
  return ready === 0 ? 'No node can be launched on: the plan says why.' : undefined;
}
