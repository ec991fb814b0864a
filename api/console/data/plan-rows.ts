/** The plans of a launch in sum, and what differs from node to node. */
import { byKey } from '../../client/by-key.ts';
import { destroyedDrives, isDestructive } from '../../client/destruction.ts';
import type { ShownPlan } from '../../client/shown-plan.ts';
import type { LaunchNode, PlanOfNode } from './launch-node.ts';

type Rejection = ShownPlan['rejections'][number];

export interface PlanSum {
  /** Nodes on which it would be launched, as far as they were planned for. */
  ready: number;
  busy: number;
  held: number;
  rejected: number;
  /** Drives whose content is destroyed, of the nodes that were planned for and are ready. */
  drives: number;
  /** Their nodes. */
  erased: number;
  /** Rejections that every planned node has. */
  common: readonly Rejection[];
}

/** Codes of rejections that the approval of another user ends. */
const TICKET_CODES: readonly string[] = ['TICKET_REQUIRED', 'TICKET_MISMATCH'];

export const needsTicket = (plans: readonly PlanOfNode[]): boolean =>
  plans.some(({ plan }) => plan.rejections.some(({ code }) => TICKET_CODES.includes(code)));

/** Those that a ticket does not end. */
export const rejectionsOfPlan = ({ rejections }: Pick<ShownPlan, 'rejections'>): Rejection[] =>
  rejections.filter(({ code }) => !TICKET_CODES.includes(code));

const keyOf = ({ path, code, message }: Rejection): string => `${path} ${code} ${message}`;

export function planSum(nodes: readonly LaunchNode[], plans: readonly PlanOfNode[]): PlanSum {
  const planOf = new Map(plans.map(({ node, plan }) => [node?.id, plan]));
  const sum = { ready: 0, busy: 0, held: 0, rejected: 0 };
  for (const { id, active = null } of nodes) {
    const codes = rejectionsOfPlan(planOf.get(id) ?? { rejections: [] }).map(({ code }) => code);
    if (active !== null || codes.includes('NODE_BUSY')) sum.busy += 1;
    else if (codes.includes('NODE_HELD')) sum.held += 1;
    else if (codes.length > 0) sum.rejected += 1;
    else sum.ready += 1;
  }
  const erased = plans.filter(({ plan }) => isDestructive(plan) && rejectionsOfPlan(plan).length === 0);
  const drives = erased.reduce((count, { plan }) => count + destroyedDrives(plan).drives.length, 0);
  const [first, ...others] = plans.map(({ plan }) => rejectionsOfPlan(plan));
  const common = (first ?? []).filter((one) =>
    others.every((rejections) => rejections.some((other) => keyOf(other) === keyOf(one))),
  );
  return { ...sum, drives, erased: erased.length, common };
}

export interface PlanRow {
  node: LaunchNode;
  /** The plan, if it destroys data. */
  destroys: ShownPlan | undefined;
  /** Those that not every planned node has. */
  rejections: readonly Rejection[];
}

/** The nodes that differ: those with drives that are destroyed, those that are busy, and those that would be rejected. */
export function planRows(nodes: readonly LaunchNode[], plans: readonly PlanOfNode[]): PlanRow[] {
  const common = new Set(planSum(nodes, plans).common.map(keyOf));
  const planOf = new Map(plans.map(({ node, plan }) => [node?.id, plan]));
  return nodes.flatMap((node) => {
    const plan = planOf.get(node.id);
    const all = plan === undefined ? [] : rejectionsOfPlan(plan);
    const rejections = all.filter((one) => !common.has(keyOf(one)));
    const isBusy = (node.active ?? null) !== null;
    const destroys = plan && isDestructive(plan) && all.length === 0 && !isBusy ? plan : undefined;
    return rejections.length > 0 || isBusy || destroys !== undefined ? [{ node, destroys, rejections }] : [];
  });
}

/** One plan of each version of the graph, with the nodes that have it. */
export function plansByVersion(plans: readonly PlanOfNode[]): { plan: ShownPlan; nodes: readonly LaunchNode[] }[] {
  const versions = byKey(plans, ({ plan }) => plan.definitionHash);
  return [...versions.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ plan: first.plan, nodes: same.flatMap(({ node }) => node ?? []) }];
  });
}
