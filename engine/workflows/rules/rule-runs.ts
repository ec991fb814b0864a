/** The runs of rules, and their counts, which are read from indexes. */
import { isoOf } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/units.ts';
import type { ActCounts } from './rule-limits.ts';
import type { StoredRuleRun } from './stored-rule.ts';

/** The newest runs of a rule, which the retention keeps. */
const RUNS_PER_RULE = 10_000;

/** A run before its keys are known. */
export type RunDraft = Omit<StoredRuleRun, 'pending' | 'outcome' | 'acted'>;

export class RuleRuns {
  readonly stored: Collection<StoredRuleRun>;

  constructor(stored: Collection<StoredRuleRun>) {
    this.stored = stored;
  }

  get(id: string): Promise<StoredRuleRun | undefined> {
    return this.stored.get(id);
  }

  /** Saves a run that is not settled. @returns undefined: there is one for the event */
  async add(draft: RunDraft): Promise<StoredRuleRun | undefined> {
    const run = { ...draft, pending: true, ...keysOf(draft) };
    const [isAdded] = await this.stored.insertMissing([run]);
    return isAdded ? run : undefined;
  }

  /** Saves the outcome of a run. @returns the run with it, or with that of another process; undefined: it was removed */
  async decide(run: StoredRuleRun, outcome: Partial<StoredRuleRun>): Promise<StoredRuleRun | undefined> {
    const decided = { ...run, ...outcome };
    const $set = { ...outcome, ...keysOf(decided) };
    return (await this.stored.update({ id: run.id, status: 'pending' }, { $set })) ?? this.get(run.id);
  }

  /** The event of the run is published. */
  async settle({ id }: StoredRuleRun): Promise<void> {
    await this.stored.update({ id }, { $set: { pending: false } });
  }

  pending(): AsyncGenerator<StoredRuleRun> {
    return pages(this.stored, { pending: true });
  }

  /** Counts the acts of a rule, and those that are being decided. @param at ms since 1970 */
  async counts(rule: string, node: string, at: number): Promise<ActCounts> {
    const [onNode, inHour] = await Promise.all([
      this.stored.count({ acted: since(`${rule} ${node}`, at - DAY_MS) }),
      this.stored.count({ outcome: since(`${rule} acted`, at - HOUR_MS) }),
    ]);
    return { onNode, inHour };
  }

  /** Counts the events of the last hour on which the rule did not act. @param at ms since 1970 */
  skipsInHour(rule: string, at: number): Promise<number> {
    return this.stored.count({ outcome: since(`${rule} refused`, at - HOUR_MS) });
  }

  /** Returns the last run in which the rule acted on the node. */
  async lastAct(rule: string, node: string): Promise<StoredRuleRun | undefined> {
    const [last] = await this.stored.find({ acted: since(`${rule} ${node}`, 0) }, { sort: { acted: -1 }, limit: 1 });
    return last;
  }

  async remove(rule: string): Promise<void> {
    await this.stored.remove({ rule });
  }

  /** For the retention. @param rules ids of all rules */
  async removeBefore(before: string, rules: AsyncIterable<{ id: string }>): Promise<void> {
    await this.stored.remove({ createdAt: { $lt: before } });
    for await (const { id: rule } of rules) {
      const sorted = { sort: { createdAt: -1 as const }, skip: RUNS_PER_RULE, limit: 1 };
      const [oldest] = await this.stored.find({ rule }, sorted);
      if (oldest !== undefined) await this.stored.remove({ rule, createdAt: { $lte: oldest.createdAt } });
    }
  }
}

/** Matches keys that begin with the prefix, from a time on: `!` follows the space. @param at ms since 1970 */
const since = (prefix: string, at: number) => ({ $gte: `${prefix} ${isoOf(at)}`, $lt: `${prefix}!` });

function keysOf({ rule, node, status, createdAt }: RunDraft): Pick<StoredRuleRun, 'outcome' | 'acted'> {
  if (status === 'refused') return { outcome: `${rule} refused ${createdAt}`, acted: null };
  return { outcome: `${rule} acted ${createdAt}`, acted: `${rule} ${node} ${createdAt}` };
}
