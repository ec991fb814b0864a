/** A graph to draw, and its live parts. */
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import type { PickedItem } from './drawn-items.ts';
import type { StateMove } from './taken-arrows.ts';
import type { DrawnTask } from './task-line.ts';

interface LiveGraph {
  view: MachineView;
  /** The state value of its machine: these states are shown as active. */
  states?: unknown;
  tasks?: readonly DrawnTask[];
  /** Those that its machine has made. */
  moves?: readonly StateMove[] | undefined;
}

export interface UnfoldedGraph extends LiveGraph {
  /** The label of the task that runs it; of a deeper one `label/label`. */
  label: string;
}

export interface DrawingProps extends LiveGraph {
  /** The graphs of children that are shown in their tasks. */
  unfolded?: readonly UnfoldedGraph[] | undefined;
  /** Called with what the reader clicks, or chooses by Enter; absent: nothing can be chosen. */
  select?: ((picked: PickedItem) => void) | undefined;
  /** A label that is chosen. */
  selected?: string | undefined;
  /** The label that the drawing opens on; absent: the first task under way, or the beginning. */
  focus?: string | undefined;
}
