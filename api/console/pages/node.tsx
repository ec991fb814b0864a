/** One node: its kind, what holds it, and in tabs all that is known about it. */
import { useRoute } from 'preact-iso';
import { useNode } from '../data/node-records.ts';
import { Heading } from '../parts/heading.tsx';
import { inShort } from '../parts/in-short.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { NodeActions } from './node/node-actions.tsx';
import { NodeBmc } from './node/node-bmc.tsx';
import { NodeBurnIn } from './node/node-burn-in.tsx';
import { NodeCatalogs } from './node/node-catalogs.tsx';
import { NodeConsole } from './node/node-console.tsx';
import { NodeHead } from './node/node-head.tsx';
import { HealthReports } from './node/node-health.tsx';
import { NodeHolds } from './node/node-holds.tsx';
import { NodeMachine } from './node/node-machine.tsx';
import { NodePollers } from './node/node-pollers.tsx';
import { NodePower } from './node/node-power.tsx';
import { NodeRelations } from './node/node-relations.tsx';
import { NodeSku } from './node/node-sku.tsx';
import { NodeWait } from './node/node-wait.tsx';
import { NodeWorkflows } from './node/node-workflows.tsx';
import '../styles/node.css';

export function NodePage() {
  const { id = '' } = useRoute().params;
  const live = useNode(id);
  return (
    <>
      {live.value.value === undefined && live.problem.value !== undefined && live.problem.value.status !== 404 && (
        <Heading>Node</Heading>
      )}
      <LiveContent
        live={live}
        missing={
          <NoRecord what="node" by="name or identifier" id={id} list={{ path: '/ui/nodes', title: 'All nodes' }} />
        }
      >
        {(node) => (
          <div class="node">
            <NodeHead node={node} reload={live.reload} />
            <NodeActions node={node} />
            <NodeMachine node={node} />
            <NodeWait node={node} />
            <Tabs
              label={`About ${inShort(node.name)}`}
              tabs={[
                { name: 'workflows', title: 'Workflows', content: () => <NodeWorkflows id={node.id} /> },
                { name: 'catalogs', title: 'Catalogs', content: () => <NodeCatalogs id={node.id} /> },
                { name: 'sku', title: 'SKU', content: () => <NodeSku id={node.id} sku={node.sku} /> },
                { name: 'bmc', title: 'BMC', content: () => <NodeBmc node={node} /> },
                { name: 'console', title: 'Console', content: () => <NodeConsole id={node.id} /> },
                { name: 'relations', title: 'Relations', content: () => <NodeRelations node={node} /> },
                { name: 'health', title: 'Health', content: () => <HealthReports id={node.id} /> },
                { name: 'burn-in', title: 'Burn-in', content: () => <NodeBurnIn node={node} /> },
                { name: 'holds', title: 'Holds', content: () => <NodeHolds id={node.id} /> },
                { name: 'pollers', title: 'Pollers', content: () => <NodePollers id={node.id} /> },
                { name: 'power', title: 'Power', content: () => <NodePower node={node} /> },
                { name: 'record', title: 'Record', content: () => <JsonTree label="record" value={node} searches /> },
              ]}
            />
          </div>
        )}
      </LiveContent>
    </>
  );
}
