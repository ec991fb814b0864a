/** The arrows that a workflow has taken, which are drawn strong. */
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import { enteredAt, type GraphArrow } from '../../../client/graph-layout.ts';
import { activeStates } from './active-states.ts';
import type { DrawnTask } from './task-line.ts';

/** Two state values of a machine, one after the other, and the event between them as the history names it. */
export interface StateMove {
  event: string;
  from?: unknown;
  to?: unknown;
}

type Arrow = Pick<GraphArrow, 'id' | 'sources' | 'targets' | 'text' | 'onError'>;
type BegunTask = Pick<DrawnTask, 'label' | 'attempts'>;

interface TakenPath {
  kind: MachineView['kind'];
  /** The ids of the graph begin with it; absent: with their own names. */
  prefix?: string;
  arrows: readonly Arrow[];
  /** Paths of its final states. */
  finals: ReadonlySet<string>;
  /** A list of tasks has none. */
  moves: readonly StateMove[];
  tasks: readonly BegunTask[];
}

/** @returns the ids of the arrows */
export function takenArrows({ kind, prefix = '', arrows, finals, moves, tasks }: TakenPath): ReadonlySet<string> {
  if (kind === 'list') return idsOf(arrows.filter(({ targets: [target] }) => hasBegun(tasks, target)));
  const steps = moves.map((move) => stepOf(move, prefix));
  return idsOf(
    arrows.filter((arrow) => {
      const path = enteredAt(endsOf(arrow).source.slice(prefix.length));
      return path === undefined
        ? steps.some((step) => isWalked(arrow, step) || isLast(arrow, step))
        : steps.some((step, index) =>
            isEntered(arrow, step, path === '' ? index === 0 : !step.before.has(prefix + path)),
          );
    }),
  );

  /** The first state of a machine, or of a state that was not active before; unless another arrow leads to it. */
  function isEntered(arrow: Arrow, step: Step, isNew: boolean): boolean {
    const { target } = endsOf(arrow);
    const others = arrows.filter((other) => endsOf(other).target === target);
    return isNew && step.after.has(target) && !others.some((other) => isWalked(other, step));
  }

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

const stepOf = ({ event, from, to }: StateMove, prefix: string): Step => ({
  before: activeStates(from, prefix),
  after: activeStates(to, prefix),
  allows: ({ onError }) => (onError ? event !== 'work.done' : event !== 'work.failed'),
});

function isWalked(arrow: Arrow, { before, after, allows }: Step): boolean {
  const { source, target } = endsOf(arrow);
  if (!allows(arrow) || !before.has(source) || !after.has(target) || before.has(target)) return false;
  // Another region of a parallel state may have entered the target in the same step.
  return !after.has(source) || target.startsWith(`${source}.`);
}
