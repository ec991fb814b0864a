/** The limits of a rule: how often it acts on one node in a day, and on all nodes in an hour. */
import type { RuleRecord } from '../../api-port/rules.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/units.ts';

export type RuleLimits = RuleRecord['limits'];

/** `perNodePerDay`, `perHour`. */
export const defaultLimits: RuleLimits = { perNodePerDay: 1, perHour: 10 };

/** How often a rule has acted. */
export interface ActCounts {
  /** On the node, in the last 24 hours. */
  onNode: number;
  /** On all nodes, in the last hour. */
  inHour: number;
}

/** @returns why the rule may not act now; undefined: it may */
export function limitReached({ perNodePerDay, perHour }: RuleLimits, counts: ActCounts): string | undefined {
  const { onNode, inHour } = counts;
  if (onNode >= perNodePerDay)
    return `the rule acted on this node ${countText(onNode, 'time')} in 24 hours; perNodePerDay is ${perNodePerDay}`;
  if (inHour >= perHour) return `the rule acted ${countText(inHour, 'time')} in an hour; perHour is ${perHour}`;
  return undefined;
}

/** An act on a node, at a time in ms since 1970. */
export interface RuleAct {
  node: string;
  at: number;
}

/** Counts the acts before a moment. */
export function recentCounts(earlier: readonly RuleAct[], node: string, at: number): ActCounts {
  const inDay = earlier.filter((act) => act.at > at - DAY_MS);
  return {
    onNode: inDay.filter((act) => act.node === node).length,
    inHour: inDay.filter((act) => act.at > at - HOUR_MS).length,
  };
}
