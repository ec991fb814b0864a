/** Opens the rules. */

import { existingIn } from '../inventory/nodes/node-requests.ts';
import { retention } from '../platform/cluster/retention.ts';
import { RuleRequests } from '../workflows/rules/rule-requests.ts';
import { RuleRuns } from '../workflows/rules/rule-runs.ts';
import {
  type RuleMark,
  ruleMarkSpec,
  ruleRunSpec,
  ruleSpec,
  type StoredRule,
  type StoredRuleRun,
} from '../workflows/rules/stored-rule.ts';
import type { OpenDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openWorkflows } from './workflows.ts';

export async function openRules(
  { config, store, cluster, records, eventLog, outbox, failedIn }: Foundation,
  { library }: OpenDefinitions,
  { nodes, storedNodes }: Inventory,
  { preparation, approvals, restrictions, launches, workflows }: Awaited<ReturnType<typeof openWorkflows>>,
) {
  const requests = new RuleRequests({
    rules: await store.collection<StoredRule>(ruleSpec),
    runs: new RuleRuns(await store.collection<StoredRuleRun>(ruleRunSpec)),
    marks: await store.collection<RuleMark>(ruleMarkSpec),
    log: eventLog.log,
    events: eventLog.requests,
    holds: nodes.holds,
    existingIds: existingIn(storedNodes),
    holderOf: (node) => workflows.holderOf(node),
    workflow: (id) => records.workflows.load(id),
    preparation,
    approvals,
    restrictions,
    launches,
    graph: (name) => library.graph(name),
    outbox,
    cluster,
    failed: failedIn('rules'),
  });
  const tidying = retention(cluster, {
    name: 'runs of rules',
    days: config.workflowRetentionDays,
    removeBefore: (before) => requests.removeBefore(before),
    failed: failedIn('rule retention'),
  });
  return { requests, tidying };
}
