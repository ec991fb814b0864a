/** The rack of a node as a picture: each node with its unit and state, PDUs with lines to what they power. */
import { useLocation } from 'preact-iso';
import type { Rack } from '../../data/rack.ts';
import { toneOf } from '../../data/shown-states.ts';
import { countText } from '../../parts/count-texts.ts';
import { Icon } from '../../parts/icon.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';
import { stateIcon } from '../../parts/state-pill.tsx';
import { type RackBox, type RackLine, rackPicture } from './rack-picture.ts';

export function RackDrawing({ rack: { top, known, states, isCut }, focus }: { rack: Rack; focus: string }) {
  const { boxes, lines, width, height } = rackPicture(top, known);
  const free = [...known.values()].filter(({ type, active }) => type === 'compute' && active === null);
  // Drawn last, above the others.
  const isOwn = ({ from, to }: RackLine) => from === focus || to === focus;
  return (
    <figure class="rack">
      {free.length > 0 && (
        <LaunchButton title={`Launch on ${countText(free.length, 'node')} of ${top.name}`} nodes={free}>
          Launch on {countText(free.length, 'free node')}…
        </LaunchButton>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        width={width + 4}
        role="group"
        aria-label={`${top.type} ${top.name}`}
      >
        {lines
          .toSorted((a, b) => Number(isOwn(a)) - Number(isOwn(b)))
          .map((line) => (
            <polyline
              key={`${line.from} ${line.to}`}
              class={isOwn(line) ? 'power own' : 'power'}
              points={line.points.map((point) => point.join(',')).join(' ')}
            />
          ))}
        {boxes.map((box) => (
          <BoxLink key={box.node.id} box={box} state={states.get(box.node.id)} isFocus={box.node.id === focus} />
        ))}
      </svg>
      <figcaption class="quiet">
        {top.type} {top.name}: {countText(known.size, 'node')}
        {[...countsOf(states)].map(([state, count]) => `, ${count} ${state}`)}
        {lines.length > 0 && '; lines from a PDU lead to what it powers'}
        {isCut && '. It has more nodes, which are not drawn.'}
      </figcaption>
    </figure>
  );
}

function countsOf(states: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const state of states.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** Characters that fit. */
const NAME_LENGTH = 28;
/** px that the number of a unit takes. */
const UNIT_WIDTH = 34;

interface BoxLinkProps {
  box: RackBox;
  state: string | undefined;
  isFocus: boolean;
}

function BoxLink({ box: { node, x, y, width, height, isAround, unit }, state, isFocus }: BoxLinkProps) {
  const { route } = useLocation();
  const address = `/ui/nodes/${encodeURIComponent(node.id)}?tab=relations`;
  const tone = state === undefined ? '' : toneOf(state);
  const kind = isAround || node.type === 'compute' ? '' : `${node.type} `;
  return (
    <a
      href={address}
      aria-current={isFocus ? 'true' : undefined}
      onClick={(event) => {
        event.preventDefault();
        route(address);
      }}
    >
      {node.active !== null && <title>{`${node.name}: ${node.active.name}`}</title>}
      <rect class={`${isAround ? 'around' : ''} ${tone}`} x={x} y={y} width={width} height={height} rx={3} />
      {unit !== undefined && (
        <text class="kind" x={x + 8} y={y + 17}>
          U{unit}
        </text>
      )}
      <text x={x + 8 + (unit === undefined ? 0 : UNIT_WIDTH)} y={y + 17}>
        {inShort(node.name, NAME_LENGTH)}
      </text>
      {width > 200 && (
        <g class={tone}>
          {state !== undefined && <Icon of={stateIcon(state)} at={{ x: x + width - 22, y: y + 6 }} />}
          <text class="kind" x={x + width - (state === undefined ? 8 : 28)} y={y + 17} text-anchor="end">
            {kind}
            {state ?? (node.type === 'compute' && 'free')}
          </text>
        </g>
      )}
    </a>
  );
}
