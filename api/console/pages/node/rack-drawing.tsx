/** The rack of a node as a picture: each node with its unit and state, PDUs with lines to what they power. */
import { useLocation } from 'preact-iso';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { Rack } from '../../data/rack.ts';
import { toneOf } from '../../data/shown-states.ts';
import { Icon } from '../../parts/icon.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';
import { LaunchOnChoice } from '../../parts/launch/launch-on-choice.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { stateIcon } from '../../parts/state-pill.tsx';
import type { ChosenRows } from '../../parts/table/row-choice.tsx';
import { isServer } from './rack-area.ts';
import { useRackChoice } from './rack-choice.ts';
import { type RackBox, type RackLine, rackPicture } from './rack-picture.ts';

export function RackDrawing({ rack: { top, known, states, isCut }, focus }: { rack: Rack; focus: string }) {
  const { boxes, lines, width, height } = rackPicture(top, known);
  const { chosen, area, toggle, handlers } = useRackChoice(boxes);
  // Drawn last, above the others.
  const isOwn = ({ from, to }: RackLine) => from === focus || to === focus;
  return (
    <figure class="rack">
      <RackActions rack={{ top, known }} boxes={boxes} chosen={chosen} />
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        width={width + 4}
        role="group"
        aria-label={`${top.type} ${top.name}`}
        {...handlers}
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
          <BoxLink
            key={box.node.id}
            box={box}
            state={states.get(box.node.id)}
            isFocus={box.node.id === focus}
            isChosen={chosen.value.has(box.node.id)}
            toggle={isServer(box) ? () => toggle(box.node.id) : undefined}
          />
        ))}
        {area.value !== undefined && <rect class="area" {...area.value} />}
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

interface RackActionsProps {
  rack: Pick<Rack, 'top' | 'known'>;
  boxes: readonly RackBox[];
  chosen: ChosenRows;
}

function RackActions({ rack: { top, known }, boxes, chosen }: RackActionsProps) {
  const servers = boxes.filter(isServer).flatMap(({ node }) => known.get(node.id) ?? []);
  const free = servers.filter(({ active, held }) => active === null && held.length === 0);
  const nodes = servers.filter(({ id }) => chosen.value.has(id));
  const select = (ids: readonly string[]) => {
    chosen.value = new Set(ids);
  };
  if (servers.length === 0) return null;
  return (
    <NeedsRight>
      <div class="actions">
        {nodes.length > 0 ? (
          <LaunchOnChoice nodes={nodes} deselect={() => select([])} />
        ) : (
          <>
            {free.length > 0 && (
              <LaunchButton title={`Launch on ${countText(free.length, 'node')} of ${top.name}`} nodes={free}>
                Launch on {countText(free.length, 'free node')}…
              </LaunchButton>
            )}
            <button type="button" onClick={() => select(servers.map(({ id }) => id))}>
              Select all {servers.length}
            </button>
            <span class="quiet">Drag over servers to select them, or press Space on one.</span>
          </>
        )}
      </div>
    </NeedsRight>
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
  isChosen: boolean;
  /** Absent: it cannot be chosen. */
  toggle: (() => void) | undefined;
}

function BoxLink({ box, state, isFocus, isChosen, toggle }: BoxLinkProps) {
  const { node, x, y, width, height, isAround, unit } = box;
  const { route } = useLocation();
  const address = `/ui/nodes/${encodeURIComponent(node.id)}?tab=relations`;
  const tone = state === undefined ? '' : toneOf(state);
  const kind = isAround || node.type === 'compute' ? '' : `${node.type} `;
  return (
    <a
      href={address}
      class={isChosen ? 'chosen' : ''}
      aria-current={isFocus ? 'true' : undefined}
      onClick={(event) => {
        event.preventDefault();
        if ((event.ctrlKey || event.metaKey) && toggle !== undefined) toggle();
        else route(address);
      }}
      onKeyDown={(event) => {
        if (event.key !== ' ' || toggle === undefined) return;
        // It would scroll the page.
        event.preventDefault();
        toggle();
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
        {isChosen && '✓ '}
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
