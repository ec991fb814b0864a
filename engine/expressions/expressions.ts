/**
 * JavaScript expressions that somebody outside wrote, evaluated so that none can hold up the daemon: on a thread of
 * their own, which is started when it is first needed, and ended when an expression does not come to an end.
 *
 * 1. Many pairs of pattern and text go in one message. All together have a second: a busy machine does not take that
 *    long over what ends at all.
 * 2. The one that is under way then is tried once more, alone, for longer. When that does not suffice it has run away: it
 *    is not tried again for a while (`penalty-box.ts`), and meanwhile matches nothing. The others are evaluated.
 * 3. Verdicts on short texts are remembered.
 */
import { Lru } from '../runtime/lru.ts';
import { batch } from '../store/batch.ts';
import { PenaltyBox } from './penalty-box.ts';
import { type Pair, Thread } from './thread.ts';

export type { Pair } from './thread.ts';

export interface ExpressionTimes {
  /** ms for a message. */
  first: number;
  /** ms for the one that took too long. */
  again: number;
  /** ms for which a runaway is left alone, the first time. */
  penalty: number;
}

const usual: ExpressionTimes = { first: 1_000, again: 3_000, penalty: 60_000 };
const VERDICTS = 5_000;
/** Characters of pattern and text together. */
const SHORT = 512;

export class Expressions {
  readonly #runaway: (pattern: string) => void;
  readonly #times: ExpressionTimes;
  readonly #verdicts = new Lru<boolean>(VERDICTS);
  readonly #box: PenaltyBox;
  readonly #evaluate = batch((pairs: Pair[]) => this.#all(pairs));
  #thread: Thread | undefined;
  #waiting = 0;
  #closed = false;

  /** @param runaway told once of each pattern that ran away */
  constructor(runaway: (pattern: string) => void, times: Partial<ExpressionTimes> = {}) {
    this.#runaway = runaway;
    this.#times = { ...usual, ...times };
    this.#box = new PenaltyBox(this.#times.penalty);
  }

  /** How many pairs wait for their verdict. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @returns for each pair whether the pattern is found in the text. @throws when no thread can be had */
  test(pairs: readonly Pair[]): Promise<boolean[]> {
    return Promise.all(pairs.map((pair) => this.#known(pair) ?? this.#ask(pair)));
  }

  /** Whether the pattern ran away lately: that it matched nothing then says nothing. */
  resting(pattern: string): boolean {
    return this.#box.has(pattern);
  }

  /** @returns the verdicts when all are remembered */
  remembered(pairs: readonly Pair[]): boolean[] | undefined {
    const verdicts = pairs.map((pair) => this.#known(pair));
    return verdicts.includes(undefined) ? undefined : (verdicts as boolean[]);
  }

  #known(pair: Pair): boolean | undefined {
    if (this.#box.has(pair[0])) return false;
    const key = keyOf(pair);
    return key === undefined ? undefined : this.#verdicts.get(key);
  }

  async #ask(pair: Pair): Promise<boolean> {
    this.#waiting += 1;
    try {
      return await this.#evaluate(pair);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #all(pairs: readonly Pair[]): Promise<boolean[]> {
    const found = pairs.map(() => false);
    let left = [...pairs.keys()];
    for (;;) {
      left = left.filter((index) => !this.#box.has((pairs[index] as Pair)[0]));
      if (left.length === 0) return found;
      const verdicts = await this.#verdictsOn(left.map((index) => pairs[index] as Pair));
      for (const [n, verdict] of verdicts.entries()) found[left[n] as number] = verdict;
      left = left.slice(verdicts.length);
    }
  }

  /** @returns the first verdicts, one at least unless the first has run away */
  async #verdictsOn(pairs: readonly Pair[]): Promise<boolean[]> {
    const verdicts = await this.#run(pairs, this.#times.first);
    const slow = pairs[verdicts.length];
    if (slow === undefined) return verdicts;
    const again = await this.#run([slow], this.#times.again);
    if (again.length === 0 && this.#box.add(slow[0])) this.#runaway(slow[0]);
    return [...verdicts, ...again];
  }

  async #run(pairs: readonly Pair[], limitMs: number): Promise<boolean[]> {
    if (this.#closed) throw new Error('expressions are not evaluated any more');
    if (this.#thread === undefined || this.#thread.ended) this.#thread = new Thread();
    const verdicts = await this.#thread.run(pairs, limitMs);
    // What a thread that was stopped did not come to says nothing.
    if (this.#closed) throw new Error('expressions are not evaluated any more');
    for (const [n, verdict] of verdicts.entries()) {
      const key = keyOf(pairs[n] as Pair);
      if (key !== undefined) this.#verdicts.set(key, verdict);
    }
    return verdicts;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.stop();
  }
}

/** The length keeps apart what two patterns and texts have in common when they are joined. */
const keyOf = ([pattern, text]: Pair): string | undefined =>
  pattern.length + text.length > SHORT ? undefined : `${pattern.length} ${pattern}${text}`;
