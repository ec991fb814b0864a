/** The events of rules: what became of an event that a rule's filter selected. */
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { type Publication, publicationOf } from '../../vocabulary/event.ts';
import type { RuleRunStatus } from '../../vocabulary/states.ts';
import type { StoredRule, StoredRuleRun } from './stored-rule.ts';

/** A run whose outcome is known. */
type DecidedRun = StoredRuleRun & { status: Exclude<RuleRunStatus, 'pending'> };

export const isDecided = (run: StoredRuleRun): run is DecidedRun => run.status !== 'pending';

export function ruleEvent({ id: ruleId, name }: StoredRule, run: DecidedRun): Publication {
  const { id, event, node, status, workflow, hold, reason, message, updatedAt } = run;
  return publicationOf({
    id: uuidOf(`${id} ${status}`),
    version: '1.0',
    type: 'rule',
    action: status === 'refused' ? 'skipped' : status,
    severity: reason === 'limit' ? 'warning' : 'information',
    typeId: ruleId,
    createdAt: updatedAt,
    nodeId: node,
    data: { ruleId, name, event, status, workflow, hold, reason, message },
  });
}
