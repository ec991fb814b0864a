/**
 * The follower: reads the log of events for all rules, and acts. The holder of a lease does it, each second, while a rule is enabled.
 * No step of a workflow and no event waits for it, or does anything for it.
 *
 * 1. The rules are read after each page of events, so that one whose change was answered before an event is applied to it. Each acts
 *    on events after its own position, which is the end of the log when it was enabled.
 * 2. The outcome of an event for a rule is a run, which is saved before the rule acts, once: its id follows from both. Its workflow
 *    or hold has the same id. Runs that are being decided count as acts, so that no limit is exceeded.
 * 3. Events that are gone when the follower comes are skipped, and the log of the daemon says so.
 * 4. An event on which a rule does not act has a run that says why, up to a limit per hour; one that the rule caused itself has none.
 *
 * If the process dies
 * - before the run is saved: the position is before its event, and the next pass of any process decides it;
 * - after that, before the rule has acted, or before the outcome is saved: the run is pending, and the next pass acts once under the
 *   same id;
 * - after that, before its event is published: the same, without an act; the event keeps its id;
 * - before the position is saved: the events of the page are read again, and their runs are there.
 */
import type { LoggedEvent } from '../../api-port/events.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import type { EventLog } from '../../events/event-log/event-log.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Collection } from '../../platform/store/port.ts';
import { EventsGone } from '../../vocabulary/errors.ts';
import { noAct, RuleEffects, type RuleEffectsScope } from './rule-effects.ts';
import { isDecided, ruleEvent } from './rule-events.ts';
import { limitReached } from './rule-limits.ts';
import { type EventOnNode, isCausedBy, isOfNode, selects } from './rule-matching.ts';
import type { RuleRuns, RunDraft } from './rule-runs.ts';
import { type RuleMark, ruleRunIdOf, type StoredRule, type StoredRuleRun } from './stored-rule.ts';

export interface RuleFollowerScope extends RuleEffectsScope {
  rules: Collection<StoredRule>;
  runs: RuleRuns;
  marks: Collection<RuleMark>;
  log: Pick<EventLog, 'read'>;
  outbox: Pick<Outbox, 'publish'>;
  cluster: Pick<Cluster, 'reconciler'>;
  failed(error: unknown): void;
}

/** Maximum number of rules: each is compared with each event of a node. */
export const RULE_COUNT = 200;
const INTERVAL_MS = 1_000;
/** Runs of events on which a rule did not act, in an hour. */
const SKIPS_PER_HOUR = 1_000;
const MARK = 'rules';

type GoesOn = () => Promise<boolean>;

export class RuleFollower {
  readonly #port: RuleFollowerScope;
  readonly #effects: RuleEffects;
  readonly #reconciler: Reconciler;

  constructor(port: RuleFollowerScope) {
    this.#port = port;
    this.#effects = new RuleEffects(port);
    this.#reconciler = port.cluster.reconciler({
      name: 'rules',
      everyMs: INTERVAL_MS,
      pass: ({ goesOn }) => this.pass(goesOn),
      failed: port.failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  close(): Promise<void> {
    return this.#reconciler.close();
  }

  async pass(goesOn: GoesOn): Promise<void> {
    for await (const run of this.#port.runs.pending()) {
      if (!(await goesOn())) return;
      await this.#finish(run);
    }
    for (let position = await this.#position(); position !== undefined; ) position = await this.#page(position, goesOn);
  }

  /** @returns undefined: no rule is enabled */
  async #position(): Promise<number | undefined> {
    const enabledRules = await this.#enabledRules();
    if (enabledRules.length === 0) return undefined;
    const mark = await this.#port.marks.get(MARK);
    return Math.max(mark?.position ?? 0, Math.min(...enabledRules.map(({ from }) => from)));
  }

  #enabledRules(): Promise<StoredRule[]> {
    return this.#port.rules.find({ enabled: true }, { limit: RULE_COUNT });
  }

  /** @returns the position of the next page; undefined: there is none now */
  async #page(position: number, goesOn: GoesOn): Promise<number | undefined> {
    const { events, upTo } = await this.#read(position);
    const rules = await this.#enabledRules();
    for (const event of events)
      for (const rule of rules) {
        if (event.seq <= rule.from || !(await selects(rule, event)) || !isOfNode(event)) continue;
        if (!(await goesOn())) return undefined;
        await this.#decide(rule, event);
      }
    if (upTo === position) return undefined;
    await this.#save(upTo);
    return (await goesOn()) ? upTo : undefined;
  }

  async #read(position: number): Promise<{ events: readonly LoggedEvent[]; upTo: number }> {
    try {
      return await this.#port.log.read(position);
    } catch (error) {
      if (!(error instanceof EventsGone)) throw error;
      const gone = `the events ${position + 1} to ${error.oldest - 1} were removed before the rules were applied to them`;
      this.#port.failed(new Error(`${gone}; the rules continue with the oldest there is`, { cause: error }));
      return { events: [], upTo: error.oldest - 1 };
    }
  }

  async #save(position: number): Promise<void> {
    const { marks } = this.#port;
    const moved = await marks.update({ id: MARK, position: { $lt: position } }, { $set: { position } });
    if (moved === undefined) await marks.insertMissing([{ id: MARK, position }]);
  }

  async #decide({ id: rule }: StoredRule, event: EventOnNode): Promise<void> {
    const { rules, runs, workflow } = this.#port;
    const id = ruleRunIdOf(rule, event.id);
    if ((await runs.get(id)) !== undefined) return;
    const scope = { run: (each: string) => runs.get(each), workflow };
    if (await isCausedBy(rule, event, scope)) return;
    // It may have been changed or disabled since the page was read.
    const current = await rules.get(rule);
    if (!current?.enabled || event.seq <= current.from || !(await selects(current, event))) return;
    const draft = await this.#draft(current, event, id);
    const run = draft && (await runs.add(draft));
    if (run !== undefined) await this.#finish(run);
  }

  /** @returns undefined: the outcome is not recorded, because there are too many like it */
  async #draft(rule: StoredRule, event: EventOnNode, id: string): Promise<RunDraft | undefined> {
    const { runs } = this.#port;
    const { seq, id: eventId, type, action, typeId, nodeId: node } = event;
    const at = now();
    const limit = limitReached(rule.limits, await runs.counts(rule.id, node, at));
    const skip =
      limit === undefined
        ? await this.#effects.obstacle(event, await runs.lastAct(rule.id, node))
        : noAct('limit', limit);
    if (skip !== undefined && (await runs.skipsInHour(rule.id, at)) >= SKIPS_PER_HOUR) return undefined;
    const time = isoOf(at) ?? '';
    const of = { id, rule: rule.id, event: eventId, seq, type, action, typeId, node };
    return { ...of, status: 'pending', ...skip, createdAt: time, updatedAt: time };
  }

  /** Acts, unless the run is decided, and publishes its event. The next pass repeats it after a failure. */
  async #finish(run: StoredRuleRun): Promise<void> {
    try {
      const rule = await this.#port.rules.get(run.rule);
      if (rule === undefined) return await this.#port.runs.remove(run.rule);
      const decided = isDecided(run) ? run : await this.#act(rule, run);
      if (decided === undefined || !isDecided(decided)) return;
      await this.#port.outbox.publish([ruleEvent(rule, decided)]);
      await this.#port.runs.settle(decided);
    } catch (error) {
      this.#port.failed(error);
    }
  }

  async #act(rule: StoredRule, run: StoredRuleRun): Promise<StoredRuleRun | undefined> {
    const isWanted = rule.enabled || (await this.#effects.hasBegun(run));
    const outcome = isWanted
      ? await this.#effects.begin(rule, run)
      : noAct('disabled', 'the rule was disabled before it acted');
    return this.#port.runs.decide(run, { ...outcome, updatedAt: isoOf(now()) ?? '' });
  }
}
