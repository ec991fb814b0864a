/** Requests of users to rules. Each change is saved by compare-and-set; the follower reads the rules with each page of events. */
import { randomUUID } from 'node:crypto';
import type { Page, PagedList } from '../../api-port/page.ts';
import type {
  NewRule,
  RuleChange,
  RuleLaunch,
  RuleRecord,
  RuleRunRecord,
  Rules,
  RuleTestRecord,
} from '../../api-port/rules.ts';
import type { EventLog } from '../../events/event-log/event-log.ts';
import { expressionViolations } from '../../events/hooks/filters.ts';
import type { Graph } from '../../library/types.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import { changeVersioned } from '../../platform/store/versioned.ts';
import { NodewrightError, rejectViolations, rethrowUnder } from '../../vocabulary/errors.ts';
import type { LaunchApprovals } from '../requests/launch-approvals.ts';
import type { LaunchPreparation } from '../requests/launch-preparation.ts';
import type { LaunchRestrictions } from '../requests/launch-restrictions.ts';
import { redactedOptions } from '../requests/redacted-workflow.ts';
import { RULE_COUNT, RuleFollower, type RuleFollowerScope } from './rule-follower.ts';
import { defaultLimits } from './rule-limits.ts';
import { type TrialScope, tryRule } from './rule-trial.ts';
import type { StoredRule } from './stored-rule.ts';

export interface RulesPort extends RuleFollowerScope, Pick<TrialScope, 'events'> {
  log: Pick<EventLog, 'read' | 'newestSeq'>;
  preparation: Pick<LaunchPreparation, 'optionsToStore'>;
  approvals: Pick<LaunchApprovals, 'rejectUnapproved'>;
  restrictions: Pick<LaunchRestrictions, 'checkMany'>;
  /** Returns the newest version of a graph. */
  graph(name: string): Graph | undefined;
}

type Effect = Pick<StoredRule, 'launch' | 'hold'>;
type Options = NonNullable<RuleLaunch['options']>;

const time = (): string => isoOf(now()) ?? '';

export class RuleRequests implements Rules {
  readonly #port: RulesPort;
  readonly #follower: RuleFollower;

  constructor(port: RulesPort) {
    this.#port = port;
    this.#follower = new RuleFollower(port);
  }

  start(): void {
    this.#follower.start();
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  async list({ filter, ...page }: Page): Promise<PagedList<RuleRecord>> {
    const { rules } = this.#port;
    const stored = await rules.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: stored.map((rule) => this.#view(rule)), total: await rules.count(filter) };
  }

  async get(id: string): Promise<RuleRecord | undefined> {
    const stored = await this.#port.rules.get(id);
    return stored && this.#view(stored);
  }

  async create(given: NewRule, by?: string): Promise<RuleRecord> {
    const { name, on, enabled, limits } = given;
    const early = { path: 'enabled', message: 'is true; a rule is disabled when it is made, and PATCH enables it' };
    rejectViolations([...(enabled === true ? [early] : []), ...expressionViolations(on, 'on')]);
    const effect = await this.#effectIn(given);
    if ((await this.#port.rules.count({})) >= RULE_COUNT)
      throw new NodewrightError('CONFLICT', `there are ${RULE_COUNT} rules; remove one first`);
    const createdAt = time();
    const times = { createdAt, updatedAt: createdAt };
    const rule: StoredRule = {
      id: randomUUID(),
      version: 1,
      name,
      on,
      enabled: false,
      ...effect,
      limits: { ...defaultLimits, ...limits },
      from: 0,
      ...times,
      createdBy: by ?? null,
    };
    await this.#port.rules.insert(rule);
    return this.#view(rule);
  }

  async change(id: string, change: RuleChange): Promise<RuleRecord | undefined> {
    const { launch, hold, limits, ...others } = change;
    rejectViolations(expressionViolations(others.on ?? {}, 'on'));
    const hasEffect = launch !== undefined || hold !== undefined;
    const effect = hasEffect ? await this.#effectIn(change) : {};
    const saved = await changeVersioned(this.#port.rules, 'rule', id, async (rule) => {
      const begins = others.enabled === true && !rule.enabled;
      if (begins && !hasEffect) await this.#checkAgain(rule);
      // A rule acts on what happens after it is as it is.
      const from = begins || others.on !== undefined ? await this.#port.log.newestSeq() : rule.from;
      return { ...rule, ...others, ...effect, limits: { ...rule.limits, ...limits }, from, updatedAt: time() };
    });
    return saved && this.#view(saved);
  }

  async remove(id: string): Promise<boolean> {
    const removed = await this.#port.rules.remove({ id });
    await this.#port.runs.remove(id);
    return removed > 0;
  }

  async runs(id: string, { filter, ...page }: Page): Promise<PagedList<RuleRunRecord> | undefined> {
    const { rules, runs } = this.#port;
    if ((await rules.get(id)) === undefined) return undefined;
    const listed = { $and: [{ rule: id }, filter] };
    return {
      items: await runs.stored.find(listed, { ...page, sort: page.sort ?? { createdAt: -1 } }),
      total: await runs.stored.count(listed),
    };
  }

  async test(id: string, since?: string): Promise<RuleTestRecord | undefined> {
    const { rules, runs, events, workflow } = this.#port;
    const rule = await rules.get(id);
    return rule && tryRule(rule, since, { events, workflow, run: (each) => runs.get(each) });
  }

  /** For the retention. */
  removeBefore(before: string): Promise<void> {
    return this.#port.runs.removeBefore(before, pages(this.#port.rules, {}));
  }

  /** @throws NodewrightError INVALID, NOT_FOUND (graph), INVALID_OPTIONS, LAUNCH_RESTRICTED, TICKET_REQUIRED */
  async #effectIn({ launch, hold }: Pick<RuleChange, 'launch' | 'hold'>): Promise<Effect> {
    if ((launch === undefined) === (hold === undefined))
      rejectViolations([{ path: 'launch', message: 'or hold: give one of them' }]);
    if (launch === undefined) return { launch: null, hold: { kind: 'fault', reason: '', ...hold } };
    const { name, options = {} } = launch;
    const { preparation } = this.#port;
    const stored = await preparation.optionsToStore(name, options).catch(rethrowUnder('launch'));
    await this.#checkGates(name, stored);
    return { launch: { name, options: stored as Options }, hold: null };
  }

  /** The graph may have been removed, and the configuration changed, since the rule was made. @throws as `create` */
  async #checkAgain({ launch }: StoredRule): Promise<void> {
    if (launch === null) return;
    const { name, options = {} } = launch;
    await this.#port.preparation.optionsToStore(name, options, true);
    await this.#checkGates(name, options);
  }

  /**
   * A rule has no ticket, and any node may be its next. It has no roles of its author either: each user who can cause the event,
   * such as by a tag, would launch with them. @throws NodewrightError LAUNCH_RESTRICTED, TICKET_REQUIRED
   */
  async #checkGates(name: string, options: Record<string, unknown>): Promise<void> {
    const launch = { id: '', name, node: null, options };
    await this.#port.restrictions.checkMany(launch, undefined);
    await this.#port.approvals.rejectUnapproved(launch, undefined);
  }

  #view({ launch, hold, version: _, from: __, ...rule }: StoredRule): RuleRecord {
    if (launch === null) return hold === null ? rule : { ...rule, hold };
    const { name, options = {} } = launch;
    return { ...rule, launch: { name, options: redactedOptions(options, this.#port.graph(name)) as Options } };
  }
}
