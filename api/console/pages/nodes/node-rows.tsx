/** The rows of the list of nodes. */
import type { Signal } from '@preact/signals';
import type { ListedNode } from '../../data/listed-node.ts';
import { inShort, listInShort } from '../../parts/in-short.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Took } from '../../parts/time.tsx';
import { type WindowedColumn, WindowedList } from '../../parts/windowed-list.tsx';

/** Ids. */
export type SelectedNodes = Signal<ReadonlySet<string>>;

interface NodeRowsProps {
  rows: readonly ListedNode[];
  /** Some may not be shown, by the filters. */
  hasNodes: boolean;
  skuNames: ReadonlyMap<string, string>;
  /** Absent: rows cannot be selected. */
  selected: SelectedNodes | undefined;
}

const keyOf = ({ id }: ListedNode): string => id;

export function NodeRows({ rows, hasNodes, skuNames, selected }: NodeRowsProps) {
  return (
    <WindowedList
      label="Nodes"
      rows={rows}
      keyOf={keyOf}
      empty={
        hasNodes
          ? 'No node matches the filters.'
          : 'No node yet. Add one, or let a machine boot from the network of the daemon: it is discovered then.'
      }
      columns={[
        ...(selected === undefined ? [] : [checkColumn(selected)]),
        {
          title: 'name',
          width: '13%',
          card: 'name',
          cell: ({ id, name }) => <a href={`/ui/nodes/${id}`}>{inShort(name)}</a>,
        },
        { title: 'state', width: '7%', card: 'state', cell: ({ active }) => <NodeState active={active} /> },
        {
          title: 'health',
          width: '9%',
          card: 'fact',
          cell: ({ health, held }) => <HealthCell health={health} held={held} />,
        },
        { title: 'runs', width: '17%', card: 'line', cell: ({ active }) => active && <ActiveCell active={active} /> },
        { title: 'type', width: '7%', card: 'fact', cell: ({ type }) => type },
        { title: 'SKU', width: '12%', card: 'fact', cell: ({ sku }) => <SkuCell id={sku} names={skuNames} /> },
        { title: 'tags', width: '7%', card: 'fact', cell: ({ tags }) => listInShort(tags) },
        {
          title: 'identifiers',
          width: '9%',
          card: 'none',
          cell: ({ identifiers }) => <code>{listInShort(identifiers)}</code>,
        },
        {
          title: 'BMC',
          width: '7%',
          card: 'none',
          cell: ({ obms }) => (obms.length === 0 ? <span class="quiet">no access</span> : 'set up'),
        },
        { title: 'updated', width: '7%', card: 'none', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
      ]}
    />
  );
}

const checkColumn = (selected: SelectedNodes): WindowedColumn<ListedNode> => ({
  title: 'chosen',
  width: '5%',
  card: 'check',
  cell: (node) => <RowCheck node={node} selected={selected} />,
});

function RowCheck({ node: { id, name }, selected }: { node: ListedNode; selected: SelectedNodes }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${inShort(name)}`}
      checked={selected.value.has(id)}
      onChange={({ currentTarget }) => {
        const next = new Set(selected.value);
        if (currentTarget.checked) next.add(id);
        else next.delete(id);
        selected.value = next;
      }}
    />
  );
}

function SkuCell({ id, names }: { id: string | null; names: ReadonlyMap<string, string> }) {
  if (id === null) return <span class="quiet">no SKU</span>;
  return <a href={`/ui/skus/${encodeURIComponent(id)}`}>{names.get(id) ?? id.slice(0, 8)}</a>;
}

const HealthCell = ({ health, held }: Pick<ListedNode, 'health' | 'held'>) => (
  <>
    <StatePill of={health} />
    {held.length > 0 && <StatePill of="held" text={held.join(', ')} />}
  </>
);

const NodeState = ({ active }: Pick<ListedNode, 'active'>) => <StatePill of={active === null ? 'free' : 'busy'} />;

const ActiveCell = ({ active: { id, name, since } }: { active: NonNullable<ListedNode['active']> }) => (
  <>
    <WorkflowLink id={id} text={name} /> for <Took from={since} to={null} />
  </>
);
