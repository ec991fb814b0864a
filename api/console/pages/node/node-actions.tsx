/** The actions on a node: launch a graph, discover it again, delete it. */
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { nodeCan } from '../../data/node-can.ts';
import { type ShownNode, useHolds } from '../../data/node-records.ts';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';

export function NodeActions({ node }: { node: ShownNode }) {
  const nodes = [node];
  const reason = nodeCan.launch(node, useHolds(node.id).value.value);
  return (
    <NeedsRight owner={node.owner}>
      <div class="actions page-actions">
        <LaunchButton kind="main" title={`Launch on ${inShort(node.name)}`} nodes={nodes} reason={reason}>
          Launch…
        </LaunchButton>
        <LaunchButton
          title={`Discover ${inShort(node.name)} again`}
          graph="Graph.SKU.Discovery"
          nodes={nodes}
          reason={reason}
          warning="The node is booted from the network, and its catalogs are read."
        >
          Discover…
        </LaunchButton>
        <NeedsRight owner={null}>
          <RemoveNode node={node} />
        </NeedsRight>
        {reason !== undefined && <span class="quiet">{inShort(reason)}</span>}
      </div>
    </NeedsRight>
  );
}

function RemoveNode({ node: { id, name } }: { node: ShownNode }) {
  const { route } = useLocation();
  const remove = async () => {
    await client.remove('/nodes/:identifier', { params: { identifier: id } });
    route('/ui/nodes');
  };
  return (
    <RemoveButton what={`node ${inShort(name)}`} name={name} run={remove}>
      <p>The node is deleted, with its catalogs and the access to its BMC.</p>
    </RemoveButton>
  );
}
