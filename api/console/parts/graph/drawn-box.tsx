/** A box of a drawing: a state with its tasks and the states in it, or a task of a list. */
import { type GraphBox, LINE, MARGIN } from '../../../client/graph-layout.ts';
import { toneOf } from '../../data/shown-states.ts';
import { Icon } from '../icon.tsx';
import { stateIcon } from '../state-pill.tsx';
import { DrawnChoice, type DrawnChoices } from './drawn-choice.tsx';
import { labelItem, pickedState, stateItem } from './drawn-items.ts';
import { type DrawnTask, taskLine } from './task-line.ts';

export interface LiveParts {
  active: ReadonlySet<string>;
  tasks: ReadonlyMap<string, DrawnTask>;
  choices: DrawnChoices | undefined;
}

export function DrawnBox({ box, live }: { box: GraphBox; live: LiveParts }) {
  const { id, lines, tasks, kind, x = 0, y = 0, width = 0, height = 0, children = [] } = box;
  const { active, choices } = live;
  if (kind === 'initial') return <circle class="initial" cx={x + width / 2} cy={y + height / 2} r={width / 2} />;
  const isList = kind === 'task';
  const isFinal = kind === 'final' || kind === 'failed';
  const isActive = active.has(id);
  const frameClasses = [
    isFinal ? 'final' : kind,
    isActive && 'active',
    children.length > 0 && 'around',
    boxTone(box, live),
  ];
  const boxClass = frameClasses.filter(Boolean).join(' ');
  const frame = <rect class={`frame ${boxClass}`} x={x} y={y} width={width} height={height} rx={6} />;
  const inner = isFinal && <rect class="frame" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={4} />;
  const ofTasks = new Set(tasks.flatMap(({ stateLine }) => [stateLine - 1, stateLine]));
  const texts = lines.map((line, index) =>
    !isList && ofTasks.has(index) ? null : <Line key={`${index} ${line}`} text={line} at={index} x={x} y={y} />,
  );
  const labels = tasks.map(({ label, stateLine }) => (
    <DrawnChoice
      key={label}
      item={labelItem(id, label)}
      picked={{ kind: 'label', label }}
      name={taskName(isList ? lines.join(' ').trim() : label, live.tasks.get(label))}
      choices={choices}
      className="task"
    >
      {isList ? (
        <>
          {frame}
          {texts}
        </>
      ) : (
        <>
          <rect
            class="ground"
            x={x + MARGIN / 2}
            y={y + (stateLine - 1) * LINE + 2}
            width={width - MARGIN}
            height={2 * LINE}
            rx={4}
          />
          <Line text={lines[stateLine - 1] ?? ''} at={stateLine - 1} x={x} y={y} />
        </>
      )}
      <TaskState task={live.tasks.get(label)} at={stateLine} x={x} y={y} />
    </DrawnChoice>
  ));
  return (
    <g>
      {!isList && (
        <DrawnChoice
          item={stateItem(id)}
          picked={pickedState(box)}
          name={stateName(box, isActive)}
          choices={choices}
          className="state"
        >
          {frame}
          {inner}
          {texts}
        </DrawnChoice>
      )}
      {labels}
      {children.map((child) => (
        <DrawnBox key={child.id} box={child} live={live} />
      ))}
    </g>
  );
}

/** A box has the tone of its task; one that is active without a task, that of what is active in it, or of the end. */
function boxTone(box: GraphBox, { active, tasks }: LiveParts): string {
  const isActive = active.has(box.id);
  if (box.kind === 'failed' || box.kind === 'final') return isActive ? endTone(box.kind) : '';
  const ownStates = box.tasks.flatMap(({ label }) => tasks.get(label)?.state ?? []);
  const [first] = ownStates;
  if (first !== undefined && !(isActive && isDone(first))) return first === 'pending' ? '' : toneOf(first);
  return isActive ? underWay(statesIn(box, active, tasks)) : '';
}

const endTone = (kind: string): string => (kind === 'failed' ? 'failed' : 'succeeded');

/** A state that is entered again has a task that has ended before. */
const isDone = (state: string): boolean => ['succeeded', 'skipped'].includes(state);

/** The states of the tasks in a box that is active. */
const statesIn = (box: GraphBox, active: ReadonlySet<string>, tasks: LiveParts['tasks']): string[] => [
  ...box.tasks.flatMap(({ label }) => tasks.get(label)?.state ?? []),
  ...(box.children ?? []).filter(({ id }) => active.has(id)).flatMap((child) => statesIn(child, active, tasks)),
];

const underWay = (states: readonly string[]): string =>
  states.includes('running') || !states.includes('waiting') ? 'running' : 'waiting';

/** Names have the texts that are seen, in their order. */
function stateName({ id, lines, tasks }: GraphBox, isActive: boolean): string {
  const ofTasks = new Set(tasks.flatMap(({ stateLine }) => [stateLine - 1, stateLine]));
  const within = id.split('.').slice(0, -1);
  const texts = lines.filter((_, index) => !ofTasks.has(index));
  return `state ${[...within, ...texts].join(' ')}${isActive ? ', active' : ''}`;
}

const taskName = (label: string, task: DrawnTask | undefined): string =>
  `task ${label}${task === undefined ? '' : `, ${taskLine(task)}`}`;

interface LineProps {
  at: number;
  x: number;
  y: number;
}

const Line = ({ text, at, x, y }: LineProps & { text: string }) => (
  <text class={at === 0 ? 'title' : undefined} x={x + MARGIN} y={y + LINE * (at + 1) - 2}>
    {/* The space separates it from the next line, for those who hear it. */}
    {text}{' '}
  </text>
);

/** px */
const ICON_WIDTH = 18;

function TaskState({ task, at, x, y }: LineProps & { task: DrawnTask | undefined }) {
  if (task === undefined) return null;
  return (
    <g class={toneOf(task.state)}>
      <Icon of={stateIcon(task.state)} at={{ x: x + MARGIN, y: y + LINE * at + 2 }} />
      <text class="status" x={x + MARGIN + ICON_WIDTH} y={y + LINE * (at + 1) - 2}>
        {taskLine(task)}
      </text>
    </g>
  );
}
