/** The rack of a node as a picture, and the relations of the node as text. */
import { useLocation } from 'preact-iso';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { type ShownNode, useOfNode } from '../../data/node-records.ts';
import { type Rack, readRack } from '../../data/rack.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { Shown } from '../../parts/shown.tsx';
import { type RackBox, type RackLine, rackPicture } from './rack-picture.ts';
import { RelationForm } from './relation-form.tsx';

export function NodeRelations({ node }: { node: ShownNode }) {
  const relations = JSON.stringify(node.relations);
  const live = useOfNode(`rack ${relations}`, node.id, () => readRack(node));
  return (
    <>
      {node.relations.length > 0 && <Shown live={live}>{(rack) => <RackDrawing rack={rack} focus={node.id} />}</Shown>}
      <h2>Relations</h2>
      <RelationTable node={node} />
      {mayOperate.value && <RelationForm id={node.id} />}
    </>
  );
}

function RackDrawing({ rack: { top, known, isCut }, focus }: { rack: Rack; focus: string }) {
  const { boxes, lines, width, height } = rackPicture(top, known);
  // Drawn last, above the others.
  const isOwn = ({ from, to }: RackLine) => from === focus || to === focus;
  return (
    <figure class="rack">
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
          <BoxLink key={box.node.id} box={box} isFocus={box.node.id === focus} />
        ))}
      </svg>
      <figcaption class="quiet">
        {top.type} {top.name}: {known.size} {known.size === 1 ? 'node' : 'nodes'}
        {lines.length > 0 && '; lines from a PDU lead to what it powers'}
        {isCut && '. It has more nodes, which are not drawn.'}
      </figcaption>
    </figure>
  );
}

/** Characters that fit. */
const LONGEST = 34;

function BoxLink({ box: { node, x, y, width, height, isAround }, isFocus }: { box: RackBox; isFocus: boolean }) {
  const { route } = useLocation();
  const address = `/ui/nodes/${encodeURIComponent(node.id)}?tab=relations`;
  const name = node.name.length > LONGEST ? `${node.name.slice(0, LONGEST)}…` : node.name;
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
      <rect
        class={`${node.type} ${isAround ? 'around' : ''} ${node.active === null ? '' : 'busy'}`}
        x={x}
        y={y}
        width={width}
        height={height}
        rx={3}
      />
      <text x={x + 8} y={y + 17}>
        {name}
      </text>
      {!isAround && width > 200 && (
        <text class="kind" x={x + width - 8} y={y + 17} text-anchor="end">
          {node.active === null ? node.type : `${node.type}, busy`}
        </text>
      )}
    </a>
  );
}

/** `containedBy` as `contained by`. */
const inWords = (relation: string): string => relation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Targets of a relation that are named at once. */
const NAMED = 60;

function RelationTable({ node: { id, relations } }: { node: ShownNode }) {
  const remove = (relationType: string, target: string) =>
    client.remove('/nodes/:identifier/relations', {
      params: { identifier: id },
      body: { [relationType]: [target] },
    });
  return (
    <DataTable
      label="Relations"
      rows={relations.filter(({ targets }) => targets.length > 0)}
      keyOf={({ relationType }) => relationType}
      empty="The node has no relations."
      columns={[
        { title: 'relation', cell: ({ relationType }) => inWords(relationType) },
        { title: 'number', isNumber: true, cell: ({ targets }) => targets.length },
        {
          title: 'nodes',
          cell: ({ relationType, targets }) => (
            <ul class="targets">
              {targets.slice(0, NAMED).map((target) => (
                <li key={target}>
                  <NodeLink id={target} />
                  {mayOperate.value && targets.length <= FEW && (
                    <ActionButton run={() => remove(relationType, target)}>Remove</ActionButton>
                  )}
                </li>
              ))}
              {targets.length > NAMED && <li class="quiet">and {targets.length - NAMED} more</li>}
            </ul>
          ),
        },
      ]}
    />
  );
}

/** Longer lists have no buttons. */
const FEW = 8;
