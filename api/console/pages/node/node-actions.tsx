/** The actions on a node: launch a graph, discover it again, delete it. */
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { busyText, type ShownNode } from '../../data/node-records.ts';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';

export function NodeActions({ node }: { node: ShownNode }) {
  const nodes = [node];
  const isBusy = node.active !== null;
  return (
    <NeedsRight>
      <div class="actions page-actions">
        <LaunchButton kind="main" title={`Launch on ${inShort(node.name)}`} nodes={nodes} disabled={isBusy}>
          Launch…
        </LaunchButton>
        <LaunchButton
          title={`Discover ${inShort(node.name)} again`}
          graph="Graph.SKU.Discovery"
          nodes={nodes}
          disabled={isBusy}
          warning="The node is booted from the network, and its catalogs are read."
        >
          Discover…
        </LaunchButton>
        <RemoveNode node={node} />
        {node.active !== null && <span class="quiet">{busyText(node.active)}</span>}
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
