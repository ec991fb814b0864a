/** The servers of a rack that are chosen: by a rectangle that is drawn over them, or one by one. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { areaBetween, type Point, type RackArea, serversIn } from './rack-area.ts';
import type { RackBox } from './rack-picture.ts';

/** A shorter way of the pointer, in px, is a click. */
const CLICK_PX = 4;

interface Drag {
  from: Point;
  /** Chosen before, if the drag adds to these. */
  before: readonly string[];
}

type PointerOnPicture = PointerEvent & { currentTarget: SVGSVGElement };

/** Drags begin with the mouse or a pen: a finger scrolls the page. With Shift or Ctrl, a drag adds to the servers chosen before. */
export function useRackChoice(boxes: readonly RackBox[]) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const area = useSignal<RackArea | undefined>(undefined);
  const drag = useRef<Drag | undefined>(undefined);
  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const end = () => {
    drag.current = undefined;
    area.value = undefined;
  };
  const handlers = {
    onPointerDown: (event: PointerOnPicture) => {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      drag.current = { from: pointOf(event), before: event.shiftKey || event.ctrlKey ? [...chosen.value] : [] };
    },
    onPointerMove: (event: PointerOnPicture) => {
      if (drag.current === undefined) return;
      const { from, before } = drag.current;
      const covered = areaBetween(from, pointOf(event));
      if (area.value === undefined && Math.max(covered.width, covered.height) < CLICK_PX) return;
      // The click at the end is then one on the picture, and follows no link.
      if (area.value === undefined) event.currentTarget.setPointerCapture(event.pointerId);
      area.value = covered;
      chosen.value = new Set([...before, ...serversIn(boxes, covered)]);
    },
    onPointerUp: end,
    onPointerCancel: end,
    // The browser would drag a link.
    onDragStart: (event: DragEvent) => event.preventDefault(),
  };
  return { chosen, area, toggle, handlers };
}

function pointOf({ clientX, clientY, currentTarget }: PointerOnPicture): Point {
  const matrix = currentTarget.getScreenCTM();
  return new DOMPoint(clientX, clientY).matrixTransform(matrix?.inverse());
}
