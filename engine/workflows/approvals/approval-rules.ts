/** Which launches need a ticket, by the rules of the configuration. Of several rules that fit the strictest part of each holds. */
import { nodeQueryOf } from '../../api-port/node-filters.ts';
import type { NodeQuery } from '../../api-port/node-query.ts';
import type { ApprovalRule } from '../../platform/config/approvals.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
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

/** A rule with its filter as the list of nodes takes it. */
export type ReadRule = Omit<ApprovalRule, 'filter'> & { query?: NodeQuery };

/** @throws NodewrightError CONFIG_INVALID for a filter that lists of nodes do not have */
export const readRules = (rules: readonly ApprovalRule[]): ReadRule[] =>
  rules.map(({ filter, ...rule }, at) => (filter === undefined ? rule : { ...rule, query: queryOf(filter, at) }));

function queryOf(filter: NonNullable<ApprovalRule['filter']>, at: number): NodeQuery {
  try {
    return nodeQueryOf(filter);
  } catch (error) {
    const message = `configuration: approvals.${at}.filter: ${messageOf(error)}`;
    throw new NodewrightError('CONFIG_INVALID', message, { cause: error });
  }
}

/** @param isOn whether the node of the work is among those of a query @returns undefined: it needs no ticket */
export async function neededApproval(
  rules: readonly ReadRule[],
  { definitions, isDestructive }: Pick<PlannedWork, 'definitions' | 'isDestructive'>,
  isOn: (query: NodeQuery) => Promise<boolean>,
): Promise<NeededApproval | undefined> {
  const fitting: NeededApproval[] = [];
  for (const rule of rules) {
    const { graphs, query } = rule;
    const isNamed = graphs === undefined ? isDestructive : definitions.some(({ graph }) => graphs.includes(graph));
    if (isNamed && (query === undefined || (await isOn(query)))) fitting.push(completeRule(rule));
  }
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
