/** Which events a hook wants: those that match one of its filters, or all. */
import type { HookFilter } from '../api-port/hooks.ts';
import type { EventPayload } from '../define/event.ts';
import { within } from '../define/within.ts';
import type { Expressions, Pair } from '../expressions/expressions.ts';

const filterKeys = ['type', 'typeId', 'action', 'severity', 'nodeId'] as const;
/** ms that an event waits for its verdict before it is kept without. */
const SOON_MS = 100;
/** Pairs; when more wait, nobody waits behind them. */
const BUSY = 2_000;

export class Filters {
  readonly #expressions: Expressions;

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
  }

  /** @throws when no thread can be had */
  async match(filters: readonly HookFilter[], event: EventPayload): Promise<boolean> {
    if (filters.length === 0) return true;
    const pairs = filters.map((filter) => pairsOf(filter, event));
    return fits(pairs, await this.#expressions.test(pairs.flat()));
  }

  /** @returns undefined: it could not be told soon */
  async matchSoon(filters: readonly HookFilter[], event: EventPayload): Promise<boolean | undefined> {
    if (filters.length === 0) return true;
    const pairs = filters.map((filter) => pairsOf(filter, event));
    const remembered = this.#expressions.remembered(pairs.flat());
    if (remembered !== undefined) return fits(pairs, remembered);
    if (this.#expressions.waiting > BUSY) return undefined;
    const verdict = this.#expressions.test(pairs.flat()).then(
      (verdicts) => fits(pairs, verdicts),
      () => undefined, // told when the delivery is worked off
    );
    return within(verdict, SOON_MS, () => undefined);
  }
}

/** An event without a node has the empty text there. */
const pairsOf = (filter: HookFilter, event: EventPayload): Pair[] =>
  filterKeys.flatMap((key) => {
    const pattern = filter[key];
    return pattern === undefined ? [] : [[pattern, event[key] ?? ''] as const];
  });

/** @param verdicts of all pairs, one after the other */
function fits(pairs: readonly (readonly Pair[])[], verdicts: readonly boolean[]): boolean {
  let from = 0;
  return pairs.some(({ length }) => {
    from += length;
    return verdicts.slice(from - length, from).every((verdict) => verdict);
  });
}
