/** Which launches need a ticket, by the rules of the configuration. Of several rules that fit the strictest part of each holds. */
import type { ApprovalRule } from '../../platform/config/approvals.ts';
import { fittingRules, type MatchingRule, matchingRules } from './launch-matching.ts';
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

export type ReadRule = MatchingRule<ApprovalRule>;

/** @throws NodewrightError CONFIG_INVALID for a filter that lists of nodes do not have */
export const readRules = (rules: readonly ApprovalRule[]): ReadRule[] => matchingRules('approvals', rules);

/** @param isOn whether the node of the work is among those of a query @returns undefined: it needs no ticket */
export async function neededApproval(
  rules: readonly ReadRule[],
  work: Pick<PlannedWork, 'definitions' | 'isDestructive'>,
  isOn: Parameters<typeof fittingRules>[2],
): Promise<NeededApproval | undefined> {
  const fitting = (await fittingRules(rules, work, isOn)).map(completeRule);
  return fitting.length === 0 ? undefined : fitting.reduce(strictest);
}

const completeRule = ({ approvals, roles, validMinutes }: ReadRule): NeededApproval => ({
  approvals: approvals ?? usualApproval.approvals,
  roles: [...(roles ?? [])],
  validMinutes: validMinutes ?? usualApproval.validMinutes,
});

export const strictest = (one: NeededApproval, other: NeededApproval): NeededApproval => ({
  approvals: Math.max(one.approvals, other.approvals),
  roles: one.roles.filter((role) => other.roles.includes(role)),
  validMinutes: Math.min(one.validMinutes, other.validMinutes),
});
