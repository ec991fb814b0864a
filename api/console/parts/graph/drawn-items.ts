/** The items of a drawing that can be chosen: its states, and the labels of their tasks, in the order of the keys. */
import { type GraphBox, type GraphLayout, LINE, MARGIN } from '../../../client/graph-layout.ts';

export type PickedItem =
  /** With the label of its task, if it has one. */
  { kind: 'state'; path: string; label?: string | undefined } | { kind: 'label'; label: string };

export interface DrawnItem {
  id: string;
  picked: PickedItem;
  /** It is an end of its machine. */
  isFinal: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export const stateItem = (path: string): string => `state ${path}`;
export const labelItem = (box: string, label: string): string => `label ${box} ${label}`;

export const pickedState = ({ id, tasks }: GraphBox): PickedItem => ({
  kind: 'state',
  path: id,
  label: tasks[0]?.label,
});

export const itemsOf = ({ children }: GraphLayout): DrawnItem[] => children.flatMap(itemsIn);

function itemsIn(box: GraphBox): DrawnItem[] {
  const { id, kind, tasks, lines, width = 0, children = [] } = box;
  if (kind === 'initial') return [];
  const [leftEdge, topEdge] = [box.x ?? 0, box.y ?? 0];
  const labels = tasks.map(
    ({ label, stateLine }): DrawnItem => ({
      id: labelItem(id, label),
      picked: { kind: 'label', label },
      isFinal: false,
      ...(kind === 'task'
        ? { x: leftEdge, y: topEdge, width, height: lines.length * LINE + MARGIN }
        : {
            x: leftEdge + MARGIN / 2,
            y: topEdge + (stateLine - 1) * LINE,
            width: width - MARGIN,
            height: 2 * LINE + 2,
          }),
    }),
  );
  const height = lines.length * LINE + MARGIN;
  const state: DrawnItem = {
    id: stateItem(id),
    picked: pickedState(box),
    isFinal: kind === 'final' || kind === 'failed',
    x: leftEdge,
    y: topEdge,
    width,
    height,
  };
  return [...(kind === 'task' ? [] : [state]), ...labels, ...children.flatMap(itemsIn)];
}
