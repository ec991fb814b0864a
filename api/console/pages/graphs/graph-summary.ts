/** The line of a graph in a list. */
import { graphTitle } from '../../data/graph-titles.ts';

export interface GraphSummary {
  name: string;
  title: string;
  /** null: put through the API, or of a pack. */
  file: string | null;
  form: 'machine' | 'list of tasks';
  /** null: a machine, whose invokes name them. */
  tasks: number | null;
}

/** @param definition as it was put, or as its file describes it */
export function graphSummaryOf(definition: unknown): GraphSummary {
  const { injectableName, friendlyName, file, tasks, machine } = definition as Record<string, unknown>;
  const isList = machine === undefined && Array.isArray(tasks);
  return {
    name: String(injectableName),
    title: graphTitle(String(injectableName), String(friendlyName)),
    file: typeof file === 'string' ? file : null,
    // A graph in a file is a machine; its tasks are listed beside it.
    form: isList && typeof file !== 'string' ? 'list of tasks' : 'machine',
    tasks: Array.isArray(tasks) ? tasks.length : null,
  };
}
