/** The rack of a node as a picture, and the relations of the node as text. */
import { client } from '../../data/daemon-client.ts';
import { type ShownNode, useOfNode } from '../../data/node-records.ts';
import { readRack } from '../../data/rack.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RackDrawing } from './rack-drawing.tsx';
import { RelationForm } from './relation-form.tsx';
import { relationTitle } from './relation-titles.ts';

export function NodeRelations({ node }: { node: ShownNode }) {
  const relations = JSON.stringify(node.relations);
  const live = useOfNode(`rack ${relations}`, node.id, () => readRack(node));
  return (
    <>
      {node.relations.length > 0 && (
        <LiveContent live={live}>{(rack) => <RackDrawing rack={rack} focus={node.id} />}</LiveContent>
      )}
      <h2>Relations</h2>
      <RelationTable node={node} />
      <NeedsRight owner={null}>
        <RelationForm id={node.id} />
      </NeedsRight>
    </>
  );
}

/** Maximum targets of a relation that are named. */
const TARGETS_SHOWN = 60;

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
        { title: 'relation', cell: ({ relationType }) => relationTitle(relationType) },
        { title: 'number', isNumber: true, cell: ({ targets }) => targets.length },
        {
          title: 'nodes',
          cell: ({ relationType, targets }) => (
            <ul class="targets">
              {targets.slice(0, TARGETS_SHOWN).map((target) => (
                <li key={target}>
                  <NodeLink id={target} />
                  {targets.length <= MAX_REMOVABLE && (
                    <NeedsRight owner={null}>
                      <ActionButton run={() => remove(relationType, target)}>Remove</ActionButton>
                    </NeedsRight>
                  )}
                </li>
              ))}
              {targets.length > TARGETS_SHOWN && <li class="quiet">and {targets.length - TARGETS_SHOWN} more</li>}
            </ul>
          ),
        },
      ]}
    />
  );
}

/** Longer lists have no buttons. */
const MAX_REMOVABLE = 8;
