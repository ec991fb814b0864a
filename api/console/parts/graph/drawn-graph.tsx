/**
 * The boxes, arrows and texts of a drawing. The items that can be chosen are one stop of the Tab key; arrow keys
 * continue from there.
 */
import { useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import type { GraphArrow, GraphBox, GraphLayout } from '../../../client/graph-layout.ts';
import { LINE } from '../../../client/graph-layout.ts';
import type { DrawingProps } from './drawing-props.ts';
import { DrawnBox } from './drawn-box.tsx';
import type { DrawnItem } from './drawn-items.ts';
import { drawnParts } from './drawn-parts.ts';

interface DrawnGraphProps extends DrawingProps {
  layout: GraphLayout;
  /** Arrows from failed tasks are drawn. */
  hasFailures: boolean;
  items: readonly DrawnItem[];
  /** Moves the drawing so that the item is in view. */
  reveal: (item: DrawnItem) => void;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function DrawnGraph(props: DrawnGraphProps) {
  const { layout, hasFailures, select, selected, items, reveal } = props;
  const current = useSignal<string | undefined>(undefined);
  const marker = useId();
  const finals = useMemo(() => new Set(layout.children.flatMap(finalsIn)), [layout]);
  const { active, tasks, takenIds } = drawnParts(props, layout.edges, finals);
  const arrows = useMemo(
    () =>
      layout.edges
        .filter(({ id, isFailure }) => hasFailures || !isFailure || takenIds.has(id))
        // Later arrows cover earlier ones.
        .toSorted((a, b) => Number(takenIds.has(a.id)) - Number(takenIds.has(b.id)))
        .map((arrow) => <DrawnArrow key={arrow.id} arrow={arrow} isTaken={takenIds.has(arrow.id)} marker={marker} />),
    [layout, hasFailures, [...takenIds].join('\n')],
  );
  const onKeyDown = (event: KeyboardEvent & { currentTarget: SVGGElement }) => {
    const at = items.findIndex(({ id }) => id === (event.target as Element).getAttribute('data-item'));
    const item = items[at];
    if (item === undefined || select === undefined) return;
    const step = STEPS[event.key];
    if (event.key === 'Enter' || event.key === ' ') select(item.picked);
    else if (step === undefined) return;
    else {
      const next = items[at + step];
      if (next !== undefined)
        event.currentTarget.querySelector<SVGElement>(`[data-item="${CSS.escape(next.id)}"]`)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const choices = select && {
    select,
    selected,
    stop: current.value ?? items[0]?.id,
    focused: (id: string) => {
      current.value = id;
      const item = items.find((one) => one.id === id);
      if (item !== undefined) reveal(item);
    },
  };
  const live = { active, tasks, choices };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the items in it.
    <g onKeyDown={onKeyDown}>
      <defs>
        <marker
          id={marker}
          viewBox="0 0 8 8"
          refX="8"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <polygon class="tip" points="0,0 8,4 0,8" />
        </marker>
      </defs>
      {layout.children.map((box) => (
        <DrawnBox key={box.id} box={box} live={live} />
      ))}
      {arrows}
    </g>
  );
}

const finalsIn = ({ id, kind, children = [] }: GraphBox): string[] =>
  kind === 'final' ? [id] : children.flatMap(finalsIn);

function DrawnArrow({
  arrow: { sections = [], labels = [], isFailure },
  isTaken,
  marker,
}: {
  arrow: GraphArrow;
  isTaken: boolean;
  marker: string;
}) {
  return (
    <>
      {sections.map(({ id, startPoint, bendPoints = [], endPoint }) => (
        <path
          key={id}
          class={`arrow ${isFailure ? 'failure' : ''} ${isTaken ? 'taken' : ''}`}
          d={`M${[startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x},${y}`).join(' L')}`}
          marker-end={`url(#${marker})`}
        />
      ))}
      {labels.map(({ x = 0, y = 0, text = '' }) => (
        <text key={text} class="event" x={x} y={y + LINE - 5}>
          {text}
        </text>
      ))}
    </>
  );
}
