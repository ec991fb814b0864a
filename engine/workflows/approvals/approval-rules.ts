/** Which launches need a ticket, by the rules of the configuration. Of several rules that fit the strictest part of each holds. */
import type { NodeRecord } from '../../api-port/nodes.ts';
import type { ApprovalRule } from '../../platform/config/approvals.ts';
import type { PlannedWork } from './planned-work.ts';

/** The approval that a ticket needs. */
export interface NeededApproval {
  /** The number of users. */
  approvals: number;
  /** Besides users with ConfigureManager: users with one of these roles. */
  roles: string[];
  validMinutes: number;
}

export const usualApproval: NeededApproval = { approvals: 1, roles: [], validMinutes: 240 };

type RuledNode = Pick<NodeRecord, 'id' | 'name' | 'type' | 'sku' | 'tags'>;

/** @param node undefined: none, or an unknown one, which every filter fits @returns undefined: it needs no ticket */
export function neededApproval(
  rules: readonly ApprovalRule[],
  { definitions, isDestructive }: Pick<PlannedWork, 'definitions' | 'isDestructive'>,
  node: RuledNode | undefined,
): NeededApproval | undefined {
  const isNamed = (names: readonly string[]) => definitions.some(({ graph }) => names.includes(graph));
  const fitting = rules.filter(
    ({ graphs, filter = {} }) =>
      (graphs === undefined ? isDestructive : isNamed(graphs)) && (node === undefined || fits(filter, node)),
  );
  return fitting.length === 0 ? undefined : fitting.map(completeRule).reduce(strictest);
}

const completeRule = ({ approvals, roles, validMinutes }: ApprovalRule): NeededApproval => ({
  approvals: approvals ?? usualApproval.approvals,
  roles: [...(roles ?? [])],
  validMinutes: validMinutes ?? usualApproval.validMinutes,
});

export const strictest = (one: NeededApproval, other: NeededApproval): NeededApproval => ({
  approvals: Math.max(one.approvals, other.approvals),
  roles: one.roles.filter((role) => other.roles.includes(role)),
  validMinutes: Math.min(one.validMinutes, other.validMinutes),
});

function fits(filter: NonNullable<ApprovalRule['filter']>, node: RuledNode): boolean {
  return Object.entries(filter).every(([field, value]) => {
    const nodeValues = [node[field as keyof RuledNode] ?? []].flat();
    return value.split(',').some((one) => nodeValues.includes(one));
  });
}
