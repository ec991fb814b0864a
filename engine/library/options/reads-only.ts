/** Runs of `once` tasks that change nothing, by what the task declares. */
import type { Task } from '../types.ts';

/** @param optionNamed returns the value of an option of the run */
export const readsOnly = ({ readOnly }: Pick<Task, 'readOnly'>, optionNamed: (name: string) => unknown): boolean =>
  Object.entries(readOnly).some(([name, values]) => values.some((value) => value === optionNamed(name)));
