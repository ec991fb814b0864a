/**
 * A trial: the events of the log on which a rule would have acted. Limits count the acts of the trial. Holds and workflows that were on
 * the nodes at that time are not known any more.
 */
import type { Events, LoggedEvent } from '../../api-port/events.ts';
import type { RuleTestRecord, TestedEvent } from '../../api-port/rules.ts';
import { limitReached, type RuleAct, recentCounts } from './rule-limits.ts';
import { type CausesScope, type EventOnNode, isCausedBy, isOfNode, selects } from './rule-matching.ts';
import type { StoredRule } from './stored-rule.ts';

export interface TrialScope extends CausesScope {
  events: Pick<Events, 'list'>;
}

const EVENTS_PER_PAGE = 1_000;
/** Events that match; more are for another trial. */
const MATCHES = 1_000;
/** ms after which the rest is for another trial. */
const TRIAL_MS = 5_000;

/** @param since ISO 8601, UTC; undefined: from the oldest event */
export async function tryRule(rule: StoredRule, since: string | undefined, port: TrialScope): Promise<RuleTestRecord> {
  const trial = { since: since ?? null, events: [], limited: [], upTo: null, isComplete: false } as RuleTestRecord;
  const earlier: RuleAct[] = [];
  const tried = new Set<string>();
  const end = performance.now() + TRIAL_MS;
  for await (const event of eventsSince(since, port.events)) {
    trial.upTo = event.createdAt;
    if (performance.now() > end || tried.size === MATCHES) return trial;
    if (tried.has(event.id) || !(await selects(rule, event)) || !isOfNode(event)) continue;
    if (await isCausedBy(rule.id, event, port)) continue;
    tried.add(event.id);
    const at = Date.parse(event.createdAt);
    const message = limitReached(rule.limits, recentCounts(earlier, event.nodeId, at));
    if (message !== undefined) trial.limited.push({ ...testedEvent(event), reason: 'limit', message });
    else {
      earlier.push({ node: event.nodeId, at });
      trial.events.push(testedEvent(event));
    }
  }
  return { ...trial, isComplete: true };
}

async function* eventsSince(since: string | undefined, log: TrialScope['events']): AsyncGenerator<LoggedEvent> {
  const query = { limit: EVENTS_PER_PAGE, filter: {} };
  let page = await log.list({ ...query, since });
  for (;;) {
    for (const event of page.items) if (since === undefined || event.createdAt >= since) yield event;
    if (page.next === undefined) return;
    page = await log.list({ ...query, after: page.next });
  }
}

const testedEvent = ({ seq, id, type, action, severity, typeId, nodeId, createdAt }: EventOnNode): TestedEvent => ({
  seq,
  id,
  type,
  action,
  severity,
  typeId,
  nodeId,
  createdAt,
});
