/** The arrows that a workflow has taken, which are drawn strong. */
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import type { GraphArrow } from '../../../client/graph-layout.ts';
import { activeStates } from './active-states.ts';
import type { DrawnTask } from './task-line.ts';

/** Two state values of a machine, one after the other, and the event between them as the history names it. */
export interface StateMove {
  event: string;
  from?: unknown;
  to?: unknown;
}

type Arrow = Pick<GraphArrow, 'id' | 'sources' | 'targets' | 'text' | 'isFailure'>;
type BegunTask = Pick<DrawnTask, 'label' | 'attempts'>;

interface TakenPath {
  kind: MachineView['kind'];
  arrows: readonly Arrow[];
  /** Paths of its final states. */
  finals: ReadonlySet<string>;
  /** A list of tasks has none. */
  moves: readonly StateMove[];
  tasks: readonly BegunTask[];
}

/** @returns the ids of the arrows */
export function takenArrows({ kind, arrows, finals, moves, tasks }: TakenPath): ReadonlySet<string> {
  if (kind === 'list') return idsOf(arrows.filter(({ targets: [target] }) => hasBegun(tasks, target)));
  const steps = moves.map(stepOf);
  return idsOf(arrows.filter((arrow) => steps.some((step) => isWalked(arrow, step) || isLast(arrow, step))));

  /** The state in which a part ended is left in the same step as its parent. */
  function isLast(arrow: Arrow, step: Step): boolean {
    const { source, target } = endsOf(arrow);
    if (!finals.has(target) || !step.before.has(source) || step.after.has(source) || !step.allows(arrow)) return false;
    return arrows.some((other) => {
      const { source: parent } = endsOf(other);
      return other.text === 'done' && source.startsWith(`${parent}.`) && isWalked(other, step);
    });
  }
}

/** A task begins when all that it waits for have ended as it needs. */
const hasBegun = (tasks: readonly BegunTask[], label: string | undefined): boolean =>
  tasks.some((task) => task.label === label && task.attempts > 0);

const idsOf = (arrows: readonly Arrow[]): ReadonlySet<string> => new Set(arrows.map(({ id }) => id));

const endsOf = ({ sources: [source = ''], targets: [target = ''] }: Arrow) => ({ source, target });

interface Step {
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
  /** Whether the arrow is one for this event. */
  allows(arrow: Arrow): boolean;
}

const stepOf = ({ event, from, to }: StateMove): Step => ({
  before: activeStates(from),
  after: activeStates(to),
  allows: ({ isFailure }) => (isFailure ? event !== 'work.done' : event !== 'work.failed'),
});

function isWalked(arrow: Arrow, { before, after, allows }: Step): boolean {
  const { source, target } = endsOf(arrow);
  if (!allows(arrow) || !before.has(source) || !after.has(target) || before.has(target)) return false;
  // Another region of a parallel state may have entered the target in the same step.
  return !after.has(source) || target.startsWith(`${source}.`);
}
