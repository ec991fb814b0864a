/** The facts that failed workflows share and succeeded ones lack. Pure. */
import type { CommonFact } from '../../api-port/failures.ts';
import { type LeafValue, leafValues } from '../../platform/lib/leaf-values.ts';

/** The facts of one workflow, with their values; a fact may have several. */
export type WorkflowFacts = readonly (readonly [fact: string, value: LeafValue])[];

/** The share of the failed ones that must have a fact, and of the succeeded ones that may. */
const SHARED = 0.8;
const RARE = 0.2;
const SHOWN_FACTS = 10;
/** Facts of one catalog, or of one set of options. */
const FACTS_LIMIT = 300;
const TEXT_LIMIT = 200;

/** @returns none without at least two failed ones and a succeeded one: nothing would be compared */
export function commonFacts(failed: readonly WorkflowFacts[], succeeded: readonly WorkflowFacts[]): CommonFact[] {
  if (failed.length < 2 || succeeded.length === 0) return [];
  const having = countsOf(succeeded);
  return [...countsOf(failed).values()]
    .map(({ fact, value, count }): CommonFact => {
      const others = having.get(keyOf(fact, value))?.count ?? 0;
      return { fact, value, of: failed.length, failed: count, succeeded: others };
    })
    .filter((one) => one.failed >= SHARED * failed.length && one.succeeded <= RARE * succeeded.length)
    .sort((a, b) => b.failed - a.failed || a.succeeded - b.succeeded || a.fact.length - b.fact.length)
    .slice(0, SHOWN_FACTS);
}

const keyOf = (fact: string, value: LeafValue): string => JSON.stringify([fact, value]);

function countsOf(all: readonly WorkflowFacts[]) {
  const counts = new Map<string, { fact: string; value: LeafValue; count: number }>();
  for (const facts of all) {
    const once = new Map(facts.map(([fact, value]) => [keyOf(fact, value), [fact, value] as const]));
    for (const [key, [fact, value]] of once) {
      const counted = counts.get(key) ?? { fact, value, count: 0 };
      counts.set(key, { ...counted, count: counted.count + 1 });
    }
  }
  return counts;
}

/** @param names of paths that people know */
export const factsIn = (value: unknown, path: string, names: Readonly<Record<string, string>> = {}): WorkflowFacts =>
  leafValues(value, path, FACTS_LIMIT, TEXT_LIMIT).map(([at, leaf]) => [names[at] ?? at, leaf]);
