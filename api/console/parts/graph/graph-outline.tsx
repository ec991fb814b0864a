/** A graph as nested lists: its states with their tasks and transitions, or its tasks with what they wait for. */
import { useSignal } from '@preact/signals';
import type { StateView } from '../../../../engine/vocabulary/machine-shape.ts';
import { transitionTexts } from '../../../../engine/vocabulary/transition-texts.ts';
import { pathText } from '../../../client/graph-layout.ts';
import { activeStates } from './active-states.ts';
import type { DrawingProps } from './drawing-props.ts';
import { type DrawnTask, taskLine } from './task-line.ts';

/** Maximum lines of the list of tasks. */
const MAX_TASKS = 1_000;

export function GraphOutline({ view, states, tasks = [], isOpen }: DrawingProps & { isOpen: boolean }) {
  const isShown = useSignal(isOpen);
  const progress = { active: activeStates(states), tasks: new Map(tasks.map((task) => [task.label, task])) };
  return (
    <details
      class="outline"
      open={isShown.value}
      onToggle={({ currentTarget }) => {
        isShown.value = currentTarget.open;
      }}
    >
      <summary>The graph as a list</summary>
      {isShown.value &&
        (view.kind === 'list' ? (
          <ul>
            {view.tasks.slice(0, MAX_TASKS).map(({ label, taskName, waitsFor }) => (
              <li key={label}>
                {label} ({taskName}){waitsFor.length > 0 && `, after ${waitsFor.join(', ')}`}
                <TaskText task={progress.tasks.get(label)} />
              </li>
            ))}
            {view.tasks.length > MAX_TASKS && <li>and {view.tasks.length - MAX_TASKS} more</li>}
          </ul>
        ) : (
          <StateList states={view.root.states} progress={progress} />
        ))}
    </details>
  );
}

interface OutlineProgress {
  active: ReadonlySet<string>;
  tasks: ReadonlyMap<string, DrawnTask>;
}

function StateList({ states, progress }: { states: readonly StateView[]; progress: OutlineProgress }) {
  return (
    <ul>
      {states.map((state) => (
        <li key={pathText(state)}>
          {state.path.at(-1)}
          {state.type !== 'atomic' && state.type !== 'compound' && ` (${state.type})`}
          {progress.active.has(pathText(state)) && <strong>, active</strong>}
          {state.invokes.length + state.transitions.length > 0 && (
            <ul>
              {state.invokes.map(({ id, label }) => (
                <li key={id}>
                  task {label}
                  <TaskText task={progress.tasks.get(label)} />
                </li>
              ))}
              {transitionTexts(state).map(({ text, targets }) => (
                <li key={`${text} ${targets.join()}`}>
                  {text}: to {targets.join(', ')}
                </li>
              ))}
            </ul>
          )}
          {state.states.length > 0 && <StateList states={state.states} progress={progress} />}
        </li>
      ))}
    </ul>
  );
}

const TaskText = ({ task }: { task: DrawnTask | undefined }) => (task === undefined ? null : <>: {taskLine(task)}</>);
