/** The graphs of a drawing as one: that of the workflow, and those of its children that unfold in their tasks. */
import { type GraphArrow, prefixOf } from '../../../client/graph-layout.ts';
import { activeStates } from './active-states.ts';
import type { DrawingProps, UnfoldedGraph } from './drawing-props.ts';
import { takenArrows } from './taken-arrows.ts';
import type { DrawnTask } from './task-line.ts';

interface DrawnParts {
  active: ReadonlySet<string>;
  tasks: ReadonlyMap<string, DrawnTask>;
  takenIds: ReadonlySet<string>;
}

export function drawnParts(
  props: Pick<DrawingProps, 'view' | 'states' | 'tasks' | 'moves' | 'unfolded'>,
  arrows: readonly GraphArrow[],
  finals: ReadonlySet<string>,
): DrawnParts {
  const { unfolded = [] } = props;
  const parts = [{ prefix: '', ...props }, ...unfolded.map((part) => ({ prefix: prefixOf(part.label), ...part }))];
  const active = parts.flatMap(({ view, states, prefix }) =>
    view.kind === 'list' ? [] : [...activeStates(states, prefix)],
  );
  const tasks = parts.flatMap(({ prefix, tasks: ownTasks = [] }) => ownTasks.map((task) => withPrefix(task, prefix)));
  const takenIds = parts.flatMap(({ view, prefix, moves = [], tasks: ownTasks = [] }) => [
    ...takenArrows({
      kind: view.kind,
      prefix,
      arrows: arrows.filter((arrow) => arrow.prefix === prefix),
      finals,
      moves,
      tasks: ownTasks.map((task) => withPrefix(task, prefix)),
    }),
  ]);
  return {
    active: new Set(active),
    tasks: new Map(tasks.map((task) => [task.label, task])),
    takenIds: new Set(takenIds),
  };
}

const withPrefix = (task: DrawnTask, prefix: string): DrawnTask => ({ ...task, label: prefix + task.label });

/** The graphs by the labels in which they unfold. */
export const viewsOf = (unfolded: readonly UnfoldedGraph[]) =>
  new Map(unfolded.map(({ label, view }) => [label, view] as const));
