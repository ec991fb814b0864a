/** The newest workflow of each node, among workflows of one cause. */

export interface AffectedNode<T> {
  workflow: T;
  /** How many workflows of the node there are. */
  count: number;
}

/** @param workflows the newest first; those without a node stand alone */
export function newestOfNodes<T extends { id: string; node: string | null }>(
  workflows: readonly T[],
): AffectedNode<T>[] {
  const rows = new Map<string, AffectedNode<T>>();
  for (const workflow of workflows) {
    const row = rows.get(workflow.node ?? workflow.id);
    if (row === undefined) rows.set(workflow.node ?? workflow.id, { workflow, count: 1 });
    else row.count += 1;
  }
  return [...rows.values()];
}
