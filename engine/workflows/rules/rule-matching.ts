/**
 * The events on which a rule may act: those of a node that its filter selects, as a web hook's does, except those that the rule caused
 * itself. Events of rules start no rule: two rules would cause each other's events without end.
 */
import type { LoggedEvent } from '../../api-port/events.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { wants } from '../../events/hooks/filters.ts';
import type { StoredRule, StoredRuleRun } from './stored-rule.ts';

export type EventOnNode = LoggedEvent & { nodeId: string };

export const isOfNode = (event: LoggedEvent): event is EventOnNode => event.nodeId !== null && event.type !== 'rule';

export const selects = async ({ on }: Pick<StoredRule, 'on'>, event: LoggedEvent): Promise<boolean> =>
  isOfNode(event) && wants([on], event);

export interface CausesScope {
  run(id: string): Promise<Pick<StoredRuleRun, 'rule' | 'type' | 'typeId'> | undefined>;
  workflow(id: string): Promise<Pick<WorkflowRow, 'rule' | 'root' | 'retryOf'> | undefined>;
}

/** Workflows behind an event. Where there are more, the rule does not act. */
const CAUSES = 100;

/**
 * Whether a workflow of the rule caused an event of a workflow: the same workflow, the root of its tree, one that it repeats, or one
 * whose event had another rule start it.
 */
export async function isCausedBy(
  rule: string,
  { type, typeId }: Pick<LoggedEvent, 'type' | 'typeId'>,
  { run, workflow }: CausesScope,
): Promise<boolean> {
  const ids = new Set(type === 'graph' ? [typeId] : []);
  for (const id of ids) {
    const [begun, row] = await Promise.all([run(id), workflow(id)]);
    if (begun?.rule === rule || row?.rule === rule || ids.size > CAUSES) return true;
    const causes = [row?.root, row?.retryOf, begun?.type === 'graph' ? begun.typeId : undefined];
    for (const cause of causes) if (cause !== undefined) ids.add(cause);
  }
  return false;
}
