/** The rules of `approvals` and `restrictions` that fit a launch: by its graphs, by what it destroys, and by its node. */
import { nodeQueryOf } from '../../api-port/node-filters.ts';
import type { NodeQuery } from '../../api-port/node-query.ts';
import type { Nodes } from '../../api-port/nodes.ts';
import type { LaunchMatch } from '../../platform/config/launch-match.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { PlannedWork } from './planned-work.ts';

/** A rule with its filter as the list of nodes takes it. */
export type MatchingRule<Rule extends LaunchMatch> = Omit<Rule, 'filter'> & { query?: NodeQuery };

type IsOn = (query: NodeQuery) => Promise<boolean>;

/** @param key of the configuration @throws NodewrightError CONFIG_INVALID for a filter that lists of nodes do not have */
export const matchingRules = <Rule extends LaunchMatch>(key: string, rules: readonly Rule[]): MatchingRule<Rule>[] =>
  rules.map(({ filter, ...rule }, at) =>
    filter === undefined ? rule : { ...rule, query: queryOf(filter, `${key}.${at}.filter`) },
  );

function queryOf(filter: NonNullable<LaunchMatch['filter']>, at: string): NodeQuery {
  try {
    return nodeQueryOf(filter);
  } catch (error) {
    throw new NodewrightError('CONFIG_INVALID', `configuration: ${at}: ${messageOf(error)}`, { cause: error });
  }
}

/** @param isOn whether the node of the work is among those of a query */
export async function fittingRules<Rule extends { graphs?: readonly string[]; query?: NodeQuery }>(
  rules: readonly Rule[],
  { definitions, isDestructive }: Pick<PlannedWork, 'definitions' | 'isDestructive'>,
  isOn: IsOn,
): Promise<Rule[]> {
  const fitting: Rule[] = [];
  for (const rule of rules) {
    const { graphs, query } = rule;
    const isNamed = graphs === undefined ? isDestructive : definitions.some(({ graph }) => graphs.includes(graph));
    if (isNamed && (query === undefined || (await isOn(query)))) fitting.push(rule);
  }
  return fitting;
}

/** @param node null: none, or one that is not known yet, which any query may select */
export const isAmong =
  (nodes: Pick<Nodes, 'list'>, node: string | null): IsOn =>
  async ({ filter, state }) => {
    if (node === null) return true;
    const page = { skip: 0, limit: 1, filter: { $and: [{ id: node }, filter] }, fields: ['id'] };
    return (await nodes.list(page, state)).total > 0;
  };
