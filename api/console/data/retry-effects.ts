/** The effect of a retry of several workflows: where each begins again, and which tasks may take effect a second time. */

interface RetryEffect {
  /** The label of the failed task; undefined: none failed. */
  from: string | undefined;
  /** The labels of tasks that run once, may have taken effect, and would run again. */
  unsafe: readonly string[];
}

export type RetryEffects = ReadonlyMap<string, RetryEffect>;

/** The tasks that may take effect a second time, by their label, each with the workflows that have it. */
export function unsafeTasks<T extends { id: string }>(
  workflows: readonly T[],
  effects: RetryEffects,
): ReadonlyMap<string, readonly T[]> {
  const tasks = new Map<string, T[]>();
  for (const workflow of workflows)
    for (const label of effects.get(workflow.id)?.unsafe ?? [])
      tasks.set(label, [...(tasks.get(label) ?? []), workflow]);
  return tasks;
}

/** The workflows whose tasks that may take effect a second time are all acknowledged. */
export const retryable = <T extends { id: string }>(
  workflows: readonly T[],
  effects: RetryEffects,
  acknowledged: readonly string[],
): T[] => workflows.filter(({ id }) => effects.get(id)?.unsafe.every((label) => acknowledged.includes(label)) ?? true);
