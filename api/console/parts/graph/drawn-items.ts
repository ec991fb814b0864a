/** The items of a drawing that can be chosen: its states, and the labels of their tasks, in the order of the keys. */
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import { type GraphBox, type GraphLayout, LINE, MARGIN } from '../../../client/graph-layout.ts';

export type PickedItem = { kind: 'state'; path: string } | { kind: 'label'; label: string };

export interface DrawnItem {
  id: string;
  picked: PickedItem;
  x: number;
  y: number;
  width: number;
  height: number;
}

export const stateItem = (path: string): string => `state ${path}`;
export const labelItem = (box: string, label: string): string => `label ${box} ${label}`;

export function itemsOf(kind: MachineView['kind'], { children }: GraphLayout): DrawnItem[] {
  return children.flatMap((box) => itemsIn(kind, box));
}

function itemsIn(kind: MachineView['kind'], box: GraphBox): DrawnItem[] {
  const { id, tasks, lines, width = 0, children = [] } = box;
  const [leftEdge, topEdge] = [box.x ?? 0, box.y ?? 0];
  const labels = tasks.map(
    ({ label, stateLine }): DrawnItem => ({
      id: labelItem(id, label),
      picked: { kind: 'label', label },
      ...(kind === 'list'
        ? { x: leftEdge, y: topEdge, width, height: box.height ?? 0 }
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
    picked: { kind: 'state', path: id },
    x: leftEdge,
    y: topEdge,
    width,
    height,
  };
  return [...(kind === 'list' ? [] : [state]), ...labels, ...children.flatMap((child) => itemsIn(kind, child))];
}
