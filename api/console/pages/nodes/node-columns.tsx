/** The columns of the list of nodes. */
import { modelText } from '../../../client/hardware-texts.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { placeOfNode } from '../../data/node-place.ts';
import { statusOfServer } from '../../data/node-status.ts';
import { bothTimes } from '../../data/shown-times.ts';
import { inShort, listInShort } from '../../parts/in-short.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import type { ChoosableColumn } from '../../parts/table/choosable-column.ts';
import { Ago, Took } from '../../parts/time.tsx';

export const nodeColumns = (skuNames: ReadonlyMap<string, string>): ChoosableColumn<ListedNode>[] => [
  {
    name: 'name',
    title: 'name',
    use: 'always',
    width: '12%',
    card: 'name',
    sort: 'name',
    cell: ({ id, name }) => <a href={`/ui/nodes/${id}`}>{inShort(name)}</a>,
  },
  {
    name: 'state',
    title: 'status',
    width: '7%',
    card: 'state',
    sort: 'state',
    cell: (node) => <StatePill of={statusOfServer(node)} />,
  },
  {
    name: 'health',
    title: 'health',
    width: '9%',
    card: 'fact',
    // The worst first.
    sort: '-health',
    cell: (node) => <HealthCell {...node} />,
  },
  {
    name: 'power',
    title: 'power',
    width: '6%',
    card: 'fact',
    sort: 'power',
    cell: ({ power }) => power && <PowerCell power={power} />,
  },
  {
    name: 'runs',
    title: 'runs',
    width: '13%',
    card: 'line',
    cell: ({ active }) => active && <ActiveCell active={active} />,
  },
  {
    name: 'place',
    title: 'place',
    width: '8%',
    card: 'fact',
    sort: 'place',
    cell: (node) => inShort(placeOfNode(node)),
  },
  { name: 'type', title: 'type', width: '7%', card: 'fact', sort: 'type', cell: ({ type }) => type },
  {
    name: 'sku',
    title: 'SKU',
    width: '9%',
    card: 'fact',
    sort: 'sku',
    cell: ({ sku }) => <SkuCell id={sku} names={skuNames} />,
  },
  {
    name: 'model',
    title: 'model',
    width: '10%',
    card: 'fact',
    sort: 'model',
    cell: (node) => <span title={modelText(node)}>{inShort(node.model ?? '')}</span>,
  },
  {
    name: 'serial',
    title: 'serial number',
    use: 'chosen',
    width: '9%',
    card: 'fact',
    sort: 'serial',
    cell: ({ serial }) => serial && <code>{inShort(serial)}</code>,
  },
  { name: 'tags', title: 'tags', width: '5%', card: 'fact', cell: ({ tags }) => listInShort(tags) },
  {
    name: 'identifiers',
    title: 'identifiers',
    use: 'chosen',
    width: '12%',
    card: 'none',
    cell: ({ identifiers }) => <code>{listInShort(identifiers)}</code>,
  },
  {
    name: 'bmc',
    title: 'BMC',
    width: '8%',
    card: 'none',
    cell: ({ obms, bmcAddress }) => (obms.length === 0 ? <span class="quiet">none</span> : (bmcAddress ?? 'set up')),
  },
  {
    name: 'updated',
    title: 'updated',
    width: '7%',
    card: 'none',
    sort: '-updated',
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
  { name: 'id', title: 'id', use: 'chosen', width: '18%', card: 'none', cell: ({ id }) => <code>{id}</code> },
];

function SkuCell({ id, names }: { id: string | null; names: ReadonlyMap<string, string> }) {
  if (id === null) return <span class="quiet">no SKU</span>;
  return <a href={`/ui/skus/${encodeURIComponent(id)}`}>{names.get(id) ?? id.slice(0, 8)}</a>;
}

const PowerCell = ({ power: { state, at } }: { power: NonNullable<ListedNode['power']> }) => (
  <span title={`seen ${bothTimes(Date.parse(at))}`}>
    <StatePill of={state} />
  </span>
);

const HealthCell = ({ health, held }: Pick<ListedNode, 'health' | 'held'>) => (
  <>
    <StatePill of={health} />
    {held.length > 0 && <StatePill of="held" text={held.join(', ')} />}
  </>
);

const ActiveCell = ({ active: { id, name, since } }: { active: NonNullable<ListedNode['active']> }) => (
  <>
    <WorkflowLink id={id} text={name} /> for <Took from={since} to={null} />
  </>
);
