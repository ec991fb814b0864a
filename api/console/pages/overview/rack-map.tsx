/** All servers as a map: a cell for each, by rack, colored by its state. */
import { useMemo } from 'preact/hooks';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { stateOfServer } from '../../data/node-status.ts';
import { toneOf } from '../../data/shown-states.ts';
import { Icon } from '../../parts/icon.tsx';
import { StatePill, stateIcon } from '../../parts/state-pill.tsx';
import { type RackRow, rackRows } from './rack-rows.ts';

/** Servers that are drawn. */
const MAX_CELLS = 3_000;

export function RackMap({ nodes }: { nodes: readonly ListedNode[] }) {
  const rows = useMemo(() => rackRows(nodes.slice(0, MAX_CELLS)), [nodes]);
  if (rows.length === 0)
    return <p class="quiet">No server yet. A machine that boots from the network of the daemon is discovered.</p>;
  return (
    <>
      <div class="racks">
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </div>
      {nodes.length > MAX_CELLS && (
        <p class="quiet">
          The first {MAX_CELLS} of {countText(nodes.length, 'node')} are drawn. <a href="/ui/nodes">All nodes</a>
        </p>
      )}
    </>
  );
}

function Row({ row: { id, name, nodes } }: { row: RackRow }) {
  const counts = Map.groupBy(nodes, stateOfServer);
  return (
    <section aria-label={name || 'In no rack'}>
      <h3>{id === '' ? 'In no rack' : <a href={`/ui/nodes/${encodeURIComponent(id)}?tab=relations`}>{name}</a>}</h3>
      <div class="cells">
        {nodes.map((node) => (
          <ServerCell key={node.id} node={node} />
        ))}
      </div>
      <p class="counts">
        {[...counts].map(([state, those]) => (
          <StatePill key={state} of={state} text={`${those.length} ${state}`} />
        ))}
      </p>
    </section>
  );
}

function ServerCell({ node }: { node: ListedNode }) {
  const state = stateOfServer(node);
  const text = `${node.name}: ${node.active === null ? state : `${state}, ${node.active.name}`}`;
  return (
    <a class={`cell ${toneOf(state)}`} href={`/ui/nodes/${encodeURIComponent(node.id)}`} title={text} aria-label={text}>
      {state !== 'free' && <Icon of={stateIcon(state)} />}
    </a>
  );
}
