/**
 * A snapshot of all SKUs' rules, ready to be tested on many nodes.
 *
 * 1. If several SKUs match, the one with more rules is chosen, then the older one.
 * 2. Regular expressions, which are slowest, are tested last, and only until one SKU matches.
 * 3. The evaluation pauses between checks: thousands of slow patterns must not block the event loop.
 */
import type { SkuRecord } from '../../api-port/skus.ts';
import { pause } from '../../platform/lib/pause.ts';
import { patternOperators } from './operators.ts';
import { type CatalogsBySource, find, type PathResult } from './paths.ts';
import { checksOf, passes, type RuleCheck } from './rules.ts';

export type SkuWithRules = Pick<SkuRecord, 'id' | 'rules' | 'createdAt'>;

interface Entry {
  id: string;
  checks: readonly RuleCheck[];
}

export class Rulebook {
  readonly #entries: readonly Entry[];
  /** The catalog sources that its rules refer to. */
  readonly sources: readonly string[];

  constructor(skus: readonly SkuWithRules[]) {
    this.#entries = skus.toSorted(before).map(({ id, rules }) => ({ id, checks: checksOf(rules).toSorted(byCost) }));
    this.sources = [...new Set(this.#entries.flatMap(({ checks }) => checks.map(({ path }) => path.source)))];
  }

  get size(): number {
    return this.#entries.length;
  }

  /** @returns the id of the SKU that matches these catalogs, or null */
  async choose(catalogs: CatalogsBySource): Promise<string | null> {
    const resultsByPath = new Map<string, PathResult>();
    const look = ({ path }: RuleCheck): PathResult => {
      const result = resultsByPath.get(path.text) ?? find(path, catalogs);
      resultsByPath.set(path.text, result);
      return result;
    };
    for (const { id, checks } of this.#entries) if (await all(checks, look)) return id;
    return null;
  }
}

async function all(checks: readonly RuleCheck[], look: (check: RuleCheck) => PathResult): Promise<boolean> {
  for (const check of checks) {
    const turn = pause();
    if (turn !== undefined) await turn;
    if (!passes(check, look(check))) return false;
  }
  return true;
}

const isPattern = ({ operator }: RuleCheck): boolean => operator !== null && patternOperators.includes(operator);
const byCost = (a: RuleCheck, b: RuleCheck): number => Number(isPattern(a)) - Number(isPattern(b));

function before(a: SkuWithRules, b: SkuWithRules): number {
  if (a.rules.length !== b.rules.length) return b.rules.length - a.rules.length;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
