/** Records the labels of graphs that a test has reached. */
import type { Graph } from '../../../engine/library/types.ts';

/** Returns the labels of a graph that started in none of the workflows passed to `see`. */
export function watchLabels({ labels }: Graph) {
  const begun = new Set<string>();
  return {
    see({ tasks }: { tasks: readonly { label: string; startedAt: string | null }[] }): void {
      for (const { label, startedAt } of tasks) if (startedAt !== null) begun.add(label);
    },
    missing: (): string[] => [...labels.keys()].filter((label) => !begun.has(label)),
  };
}
