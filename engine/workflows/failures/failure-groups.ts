/** Failed and stuck workflows, grouped by their cause. Pure. */
import { failureOrders } from '../../api-port/failures.ts';
import type { Page } from '../../api-port/page.ts';
import { type FailureCause, failureIdOf } from '../../durable/step/failure-cause.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { StuckWorkflow } from '../../durable/telemetry/workflow-metrics.ts';

/** The fields of a failed workflow that are read from an index. */
export type FailedWorkflow = Pick<WorkflowRow, 'id' | 'failure' | 'graphName' | 'node' | 'root' | 'finishedAt'>;

export interface FailureGroup {
  id: string;
  graph: string;
  /** Newest first. */
  workflows: readonly FailedWorkflow[];
  nodes: number;
  firstAt: string;
  lastAt: string;
  /** Absent: the workflows failed, and have it in their rows. */
  cause?: FailureCause;
}

/** @param failed newest first @returns the group with the newest workflow first */
export function failureGroups(failed: readonly FailedWorkflow[]): FailureGroup[] {
  const groups = new Map<string, FailedWorkflow[]>();
  for (const one of failed) {
    // A row of an earlier release.
    if (typeof one.failure !== 'string') continue;
    const group = groups.get(one.failure);
    if (group === undefined) groups.set(one.failure, [one]);
    else group.push(one);
  }
  return [...groups].map(([id, workflows]) => {
    const times = workflows.map(({ finishedAt }) => finishedAt ?? '');
    const nodes = new Set(workflows.flatMap(({ node }) => node ?? []));
    return {
      id,
      graph: workflows[0]?.graphName ?? '',
      workflows,
      nodes: nodes.size,
      firstAt: times.at(-1) ?? '',
      lastAt: times[0] ?? '',
    };
  });
}

/** @returns the group with the workflow that is stuck since the shortest time first */
export function stuckGroups(stuck: readonly StuckWorkflow[]): FailureGroup[] {
  const causes = new Map(stuck.map(({ cause }) => [failureIdOf(cause), cause]));
  const newest = stuck
    .map(({ cause, since, ...one }) => ({ ...one, failure: failureIdOf(cause), finishedAt: since }))
    .sort((a, b) => b.finishedAt.localeCompare(a.finishedAt));
  return failureGroups(newest).map((group) => {
    const cause = causes.get(group.id);
    return cause === undefined ? group : { ...group, cause };
  });
}

/** The workflows that a retry repeats: the newest on each node, and that at the top instead of a child. */
export function retriedIds(workflows: readonly FailedWorkflow[]): string[] {
  const newest = new Map(workflows.toReversed().map((one) => [one.node ?? one.id, one.root ?? one.id]));
  return [...new Set(newest.values())];
}

const orderOf: Record<(typeof failureOrders)[number], (a: FailureGroup, b: FailureGroup) => number> = {
  count: (a, b) => a.workflows.length - b.workflows.length,
  nodes: (a, b) => a.nodes - b.nodes,
  firstAt: (a, b) => a.firstAt.localeCompare(b.firstAt),
  lastAt: (a, b) => a.lastAt.localeCompare(b.lastAt),
};

/** Equal groups keep their order. */
export function sortedGroups(groups: readonly FailureGroup[], sort: Page['sort'] = {}): FailureGroup[] {
  const orders = failureOrders.flatMap((name) => {
    const direction = sort[name];
    return direction === undefined ? [] : [(a: FailureGroup, b: FailureGroup) => direction * orderOf[name](a, b)];
  });
  return [...groups].sort((a, b) => orders.reduce((order, next) => order || next(a, b), 0));
}
