/** The rows of the list of nodes. */
import type { Signal } from '@preact/signals';
import type { ListedNode } from '../../data/listed-node.ts';
import { inShort, listInShort } from '../../parts/in-short.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { Ago } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';

/** Ids. */
export type SelectedNodes = Signal<ReadonlySet<string>>;

interface NodeRowsProps {
  rows: readonly ListedNode[];
  skuNames: ReadonlyMap<string, string>;
  /** Absent: rows cannot be selected. */
  selected: SelectedNodes | undefined;
}

const keyOf = ({ id }: ListedNode): string => id;

export function NodeRows({ rows, skuNames, selected }: NodeRowsProps) {
  return (
    <WindowedList
      label="Nodes"
      rows={rows}
      keyOf={keyOf}
      empty="No node matches."
      columns={[
        ...(selected === undefined
          ? []
          : [{ title: '✓', width: '3%', cell: (node: ListedNode) => <RowCheck node={node} selected={selected} /> }]),
        { title: 'name', width: '16%', cell: ({ id, name }) => <a href={`/ui/nodes/${id}`}>{inShort(name)}</a> },
        { title: 'type', width: '8%', cell: ({ type }) => type },
        { title: 'SKU', width: '13%', cell: ({ sku }) => <SkuCell id={sku} names={skuNames} /> },
        { title: 'tags', width: '13%', cell: ({ tags }) => listInShort(tags) },
        { title: 'identifiers', width: '15%', cell: ({ identifiers }) => <code>{listInShort(identifiers)}</code> },
        { title: 'runs', width: '16%', cell: ({ active }) => <ActiveCell active={active} /> },
        { title: 'obm', width: '5%', cell: ({ obms }) => (obms.length === 0 ? <span class="quiet">no</span> : '✓') },
        { title: 'updated', width: '12%', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
      ]}
    />
  );
}

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
  if (id === null) return <span class="quiet">none</span>;
  return <a href={`/ui/skus/${encodeURIComponent(id)}`}>{names.get(id) ?? id.slice(0, 8)}</a>;
}

function ActiveCell({ active }: Pick<ListedNode, 'active'>) {
  if (active === null) return <span class="quiet">free</span>;
  return <WorkflowLink id={active.id} text={active.name} />;
}
