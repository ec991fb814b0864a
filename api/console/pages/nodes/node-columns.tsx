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
import { isNamedAsModel, type NamesOfSkus } from './node-row.ts';

/** The widths are those of usual texts: at 1440 px, beside the left bar, none of the usual columns cuts its own. */
export function nodeColumns(skuNames: NamesOfSkus, nodes: readonly ListedNode[]): ChoosableColumn<ListedNode>[] {
  const hasOwnSkus = nodes.some((node) => node.sku !== null && !isNamedAsModel(node, skuNames));
  return [
    {
      name: 'name',
      title: 'name',
      use: 'always',
      width: '6rem',
      card: 'name',
      sort: 'name',
      cell: ({ id, name }) => <a href={`/ui/nodes/${id}`}>{inShort(name)}</a>,
    },
    {
      name: 'state',
      title: 'status',
      width: '5.25rem',
      card: 'state',
      sort: 'state',
      cell: (node) => <StatePill of={statusOfServer(node)} />,
    },
    {
      name: 'health',
      title: 'health',
      width: '6.25rem',
      card: 'fact',
      // The worst first.
      sort: '-health',
      cell: (node) => <HealthCell {...node} />,
    },
    {
      name: 'power',
      title: 'power',
      width: '4.25rem',
      card: 'fact',
      sort: 'power',
      cell: ({ power }) => power && <PowerCell power={power} />,
    },
    {
      name: 'runs',
      title: 'runs',
      width: hasOwnSkus ? '10.5rem' : '13rem',
      card: 'line',
      cell: ({ active }) => active && <ActiveCell active={active} />,
    },
    {
      name: 'place',
      title: 'place',
      width: '3.75rem',
      card: 'fact',
      sort: 'place',
      cell: (node) => inShort(placeOfNode(node)),
    },
    {
      name: 'model',
      title: 'model',
      width: '10.5rem',
      card: 'fact',
      sort: 'model',
      cell: (node) => <ModelCell node={node} names={skuNames} />,
    },
    {
      name: 'sku',
      title: 'SKU',
      // Names that repeat the models are not worth a column: the models are links then.
      ...(!hasOwnSkus && { use: 'chosen' }),
      width: '7.5rem',
      card: 'fact',
      sort: 'sku',
      cell: ({ sku }) => <SkuCell id={sku} names={skuNames} />,
    },
    {
      name: 'serial',
      title: 'serial number',
      width: '6.5rem',
      card: 'fact',
      sort: 'serial',
      cell: ({ serial }) => serial && <code>{inShort(serial)}</code>,
    },
    { name: 'tags', title: 'tags', width: '4.25rem', card: 'fact', cell: ({ tags }) => listInShort(tags) },
    {
      name: 'bmc',
      title: 'BMC',
      width: '6.5rem',
      card: 'none',
      cell: ({ obms, bmcAddress }) => (obms.length === 0 ? <span class="quiet">none</span> : (bmcAddress ?? 'set up')),
    },
    {
      name: 'burnIn',
      title: 'burn-in',
      use: 'chosen',
      width: '5.25rem',
      card: 'none',
      cell: ({ burnIn }) => burnIn && <StatePill of={burnIn} />,
    },
    { name: 'type', title: 'type', use: 'chosen', width: '6rem', card: 'none', sort: 'type', cell: ({ type }) => type },
    {
      name: 'identifiers',
      title: 'identifiers',
      use: 'chosen',
      width: '11rem',
      card: 'none',
      cell: ({ identifiers }) => <code>{listInShort(identifiers)}</code>,
    },
    {
      name: 'updated',
      title: 'updated',
      use: 'chosen',
      width: '7rem',
      card: 'none',
      sort: '-updated',
      cell: ({ updatedAt }) => <Ago at={updatedAt} />,
    },
    { name: 'id', title: 'id', use: 'chosen', width: '14rem', card: 'none', cell: ({ id }) => <code>{id}</code> },
  ];
}

/** Racks and PDUs have no model as a rule: their type is said. */
function ModelCell({ node, names }: { node: ListedNode; names: NamesOfSkus }) {
  const { sku, model, type } = node;
  if (model === undefined) return <span class="quiet">{type === 'pdu' ? 'PDU' : type}</span>;
  return (
    <span title={modelText(node)}>
      {isNamedAsModel(node, names) ? <SkuCell id={sku} names={names} /> : inShort(model)}
    </span>
  );
}

function SkuCell({ id, names }: { id: string | null; names: NamesOfSkus }) {
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
