/** BMCs with a row for each port: of a host one may have an open circuit while another answers. */
import type { GetAnswer } from '../../client/requests.ts';
import { ActionButton } from './action-button.tsx';
import { DataTable } from './data-table.tsx';
import { inShort } from './in-short.ts';
import { NeedsRight } from './needs-right.tsx';
import { Ago, Until } from './time.tsx';

type Bmc = GetAnswer<'/bmcs'>[number];

interface BmcTableProps {
  bmcs: readonly Bmc[];
  /** Closes the circuits of a host. */
  closeCircuit: (id: string) => Promise<void>;
  /** False on the page of a node. */
  hasNodes: boolean;
}

export function BmcTable({ bmcs, closeCircuit, hasNodes }: BmcTableProps) {
  return (
    <DataTable
      label="BMCs"
      rows={bmcs.flatMap(({ id, nodes, ports }) => ports.map((port) => ({ ...port, id, nodes })))}
      keyOf={({ address }) => address}
      empty="No command was sent to a BMC lately."
      columns={[
        { title: 'address', cell: ({ address }) => <code>{address}</code> },
        ...(hasNodes
          ? [{ title: 'nodes', cell: ({ nodes }: Pick<Bmc, 'nodes'>) => <NodesOfBmc nodes={nodes} /> }]
          : []),
        { title: 'running', isNumber: true, cell: ({ running }) => running },
        { title: 'waiting', isNumber: true, cell: ({ waiting }) => waiting },
        { title: 'failures in a row', isNumber: true, cell: ({ failures }) => failures },
        {
          title: 'circuit',
          cell: ({ retryAt }) =>
            retryAt === null ? (
              <span class="quiet">closed</span>
            ) : (
              <>
                open, next command <Until at={retryAt} />
              </>
            ),
        },
        {
          title: 'last answer',
          cell: ({ lastAnswerAt }) =>
            lastAnswerAt === null ? <span class="quiet">unknown</span> : <Ago at={lastAnswerAt} />,
        },
        {
          title: 'actions',
          cell: ({ id, retryAt }) =>
            retryAt !== null && (
              <NeedsRight owner={null}>
                <ActionButton run={() => closeCircuit(id)}>Send now</ActionButton>
              </NeedsRight>
            ),
        },
      ]}
    />
  );
}

const NodesOfBmc = ({ nodes }: Pick<Bmc, 'nodes'>) => (
  <>
    {nodes.map(({ id, name }, at) => (
      <>
        {at > 0 && ', '}
        <a key={id} href={`/ui/nodes/${encodeURIComponent(id)}`}>
          {inShort(name)}
        </a>
      </>
    ))}
  </>
);
