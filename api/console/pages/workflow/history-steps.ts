/** The history of a workflow as steps, and the workflow as it was after each of them. */
import type { StateMove } from '../../parts/graph/taken-arrows.ts';
import type { DrawnTask } from '../../parts/graph/task-line.ts';

/** A line of the history, as far as steps need it. */
export interface StepLine {
  version: number;
  at: string;
  event: string;
  label?: string | undefined;
  from?: unknown;
  to?: unknown;
  attempt?: number | undefined;
}

export interface TakenStep<Line extends StepLine = StepLine> {
  version: number;
  at: string;
  lines: Line[];
}

/** Lines of one version were saved together. */
export function takenSteps<Line extends StepLine>(lines: readonly Line[]): TakenStep<Line>[] {
  const steps: TakenStep<Line>[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (last !== undefined && last.version === line.version) last.lines.push(line);
    else steps.push({ version: line.version, at: line.at, lines: [line] });
  }
  return steps;
}

/** @returns the state values of the graph's machine, before and after each of its moves @param count of steps */
export const movesIn = (steps: readonly TakenStep[], count: number): StateMove[] =>
  steps.slice(0, count).flatMap(({ lines }) => lines.filter(isOfGraph));

const isOfGraph = ({ label, event, to }: StepLine): boolean =>
  label === undefined && !event.startsWith('workflow.') && to !== undefined;

export interface WorkflowThen {
  /** The state value of the graph; null before it began. */
  value: unknown;
  tasks: DrawnTask[];
}

/** @param tasks of the workflow as it is now @param count of steps that have been taken */
export function workflowAfter(steps: readonly TakenStep[], count: number, tasks: readonly DrawnTask[]): WorkflowThen {
  const then = new Map(
    tasks.map((task) => [task.label, { ...task, state: 'pending', attempts: 0, waitingOn: null } as DrawnTask]),
  );
  let value: unknown = null;
  for (const { lines } of steps.slice(0, count)) {
    for (const line of lines) {
      if (line.label !== undefined) setTask(then, line);
      else if (isOfGraph(line)) value = line.to ?? value;
    }
  }
  return { value, tasks: [...then.values()] };
}

function setTask(then: Map<string, DrawnTask>, { label = '', event, to, attempt }: StepLine): void {
  const task = then.get(label);
  if (task === undefined || !event.startsWith('task.') || typeof to !== 'string') return;
  task.state = to as DrawnTask['state'];
  task.attempts = attempt ?? 1;
}
