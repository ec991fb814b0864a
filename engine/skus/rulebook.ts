/**
 * All SKUs as they stand at one moment, ready to be put to many nodes.
 *
 * 1. Of several that match, the one with more rules is meant, then the older one.
 * 2. What costs nothing is asked first: expressions only of a SKU that everything else speaks for, and only until one
 *    matches.
 */
import type { SkuRecord } from '../api-port/skus.ts';
import { type CatalogData, type Found, find } from './paths.ts';
import { type Asked, answer, type Check, checksOf, settle } from './rules.ts';

export type Ruled = Pick<SkuRecord, 'id' | 'rules' | 'createdAt'>;

interface Entry {
  id: string;
  checks: readonly Check[];
}

export class Rulebook {
  readonly #entries: readonly Entry[];
  /** The catalogs that its rules look into. */
  readonly sources: readonly string[];

  constructor(skus: readonly Ruled[]) {
    this.#entries = skus.toSorted(before).map(({ id, rules }) => ({ id, checks: checksOf(rules) }));
    this.sources = [...new Set(this.#entries.flatMap(({ checks }) => checks.map(({ path }) => path.source)))];
  }

  get size(): number {
    return this.#entries.length;
  }

  /** @returns the id of the SKU that a node with these catalogs has to have, or null. @throws when no thread can be had */
  async choose(catalogs: CatalogData, expressions: Asked): Promise<string | null> {
    const seen = new Map<string, Found>();
    const look = ({ path }: Check): Found => {
      const found = seen.get(path.text) ?? find(path, catalogs);
      seen.set(path.text, found);
      return found;
    };
    for (const { id, checks } of this.#entries) {
      const answers = answersUntilFalse(checks, look);
      if (answers !== undefined && (await settle(answers, expressions)).every((passed) => passed)) return id;
    }
    return null;
  }
}

function answersUntilFalse(checks: readonly Check[], look: (check: Check) => Found) {
  const answers: ReturnType<typeof answer>[] = [];
  for (const check of checks) {
    const one = answer(check, look(check));
    if (one === false) return undefined;
    answers.push(one);
  }
  return answers;
}

function before(a: Ruled, b: Ruled): number {
  if (a.rules.length !== b.rules.length) return b.rules.length - a.rules.length;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
