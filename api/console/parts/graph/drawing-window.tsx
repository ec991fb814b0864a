/** A drawing that is zoomed and moved by buttons, by the wheel, by dragging, and by keys. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { GraphLayout } from '../../../client/graph-layout.ts';
import { activeStates } from './active-states.ts';
import type { DrawingProps } from './drawing-props.ts';
import { DrawnGraph } from './drawn-graph.tsx';
import { type DrawnItem, itemsOf } from './drawn-items.ts';
import { useViewWindow } from './use-view-window.ts';

/** px of the screen */
const STEP = 60;
/** px that the pointer may move during a click */
const STILL = 4;
const ZOOM = 1.3;
const UNDER_WAY: ReadonlySet<string> = new Set(['running', 'waiting']);

export function DrawingWindow(props: DrawingProps & { layout: GraphLayout }) {
  const { layout, view, select, selected } = props;
  const items = useMemo(() => itemsOf(layout), [layout]);
  const { place, height, viewBox, showAll, zoom, move, reveal } = useViewWindow(layout, firstItem(items, props));
  const label = `Drawing of ${view.graph}`;
  const hasFailures = useSignal(false);
  const selectedBefore = useRef(selected);
  // Chosen elsewhere, such as in the timeline.
  useEffect(() => {
    const item = items.find(({ picked }) => picked.kind === 'label' && picked.label === selected);
    if (item !== undefined && selectedBefore.current !== selected) reveal(item);
    selectedBefore.current = selected;
  }, [selected]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const { deltaX, deltaY, shiftKey } = event;
      const { left, top } = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey)
        zoom(deltaY < 0 ? ZOOM : 1 / ZOOM, { x: event.clientX - left, y: event.clientY - top });
      // At the end of the drawing the page scrolls.
      else if (!move(shiftKey ? deltaY : deltaX, shiftKey ? 0 : deltaY)) return;
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [layout]);

  const keys: Record<string, () => void> = {
    ArrowLeft: () => void move(-STEP, 0),
    ArrowRight: () => void move(STEP, 0),
    ArrowUp: () => void move(0, -STEP),
    ArrowDown: () => void move(0, STEP),
    '+': () => zoom(ZOOM),
    '=': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    '0': showAll,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <>
      <div class="actions">
        <button type="button" onClick={() => zoom(ZOOM)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(1 / ZOOM)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={showAll}>
          Whole graph
        </button>
        {layout.edges.some(({ isFailure }) => isFailure) && (
          <button
            type="button"
            aria-pressed={hasFailures.value}
            onClick={() => {
              hasFailures.value = !hasFailures.value;
            }}
          >
            Failure paths
          </button>
        )}
        <span class="quiet">Drag it or use the arrow keys; Ctrl with the wheel zooms, and so do + and −.</span>
      </div>
      <section
        class="drawing-window"
        ref={place}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move and zoom it.
        tabIndex={0}
        style={{ height: `${height.value}px` }}
        onKeyDown={onKeyDown}
        {...useDrag(move)}
      >
        <svg viewBox={viewBox} role={select === undefined ? 'img' : 'group'} aria-label={label}>
          <DrawnGraph {...props} items={items} reveal={reveal} hasFailures={hasFailures.value} />
        </svg>
      </section>
    </>
  );
}

/** The item that the drawing opens on; undefined: the beginning. */
function firstItem(items: readonly DrawnItem[], { focus, tasks = [], states }: DrawingProps): DrawnItem | undefined {
  const itemOf = (label: string | undefined) =>
    items.find(({ picked }) => picked.kind === 'label' && picked.label === label);
  const busy = tasks.find(({ state }) => UNDER_WAY.has(state));
  const active = activeStates(states);
  return (
    itemOf(focus) ??
    itemOf(busy?.label) ??
    items.findLast(({ picked, isFinal }) => picked.kind === 'state' && !isFinal && active.has(picked.path))
  );
}

function useDrag(move: (x: number, y: number) => boolean) {
  const drag = useRef<{ x: number; y: number; isFar: boolean }>(undefined);
  return {
    onPointerDown: ({ clientX: x, clientY: y }: PointerEvent) => {
      drag.current = { x, y, isFar: false };
    },
    onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      const from = drag.current;
      if (from === undefined || event.buttons !== 1) return;
      const [x, y] = [from.x - event.clientX, from.y - event.clientY];
      if (!from.isFar && Math.hypot(x, y) < STILL) return;
      // From now on it is no click.
      if (!from.isFar) event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { x: event.clientX, y: event.clientY, isFar: true };
      move(x, y);
    },
  };
}
