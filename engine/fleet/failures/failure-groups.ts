/** Failed workflows, grouped by their cause. Pure. */
import type { WorkflowRow } from '../../durable/step/row.ts';

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
