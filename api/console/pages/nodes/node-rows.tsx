/** The rows of the list of nodes. */
import type { Signal } from '@preact/signals';
import type { ListedNode } from '../../data/node-list.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { Ago } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';
import type { NodeFilter } from './node-filter.ts';

/** Ids. */
export type SelectedNodes = Signal<ReadonlySet<string>>;

interface NodeRowsProps {
  rows: readonly ListedNode[];
  skuNames: ReadonlyMap<string, string>;
  /** Absent: rows cannot be selected. */
  selected: SelectedNodes | undefined;
  sort: NodeFilter['sort'];
  change: (changed: Partial<NodeFilter>) => void;
}

const keyOf = ({ id }: ListedNode): string => id;

export function NodeRows({ rows, skuNames, selected, sort, change }: NodeRowsProps) {
  return (
    <>
      <SortChoice sort={sort} change={change} />
      <WindowedList
        label="Nodes"
        rows={rows}
        keyOf={keyOf}
        empty="No node matches."
        columns={[
          ...(selected === undefined
            ? []
            : [{ title: '✓', width: '3%', cell: (node: ListedNode) => <RowCheck node={node} selected={selected} /> }]),
          { title: 'name', width: '17%', cell: ({ id, name }) => <a href={`/ui/nodes/${id}`}>{name}</a> },
          { title: 'type', width: '8%', cell: ({ type }) => type },
          { title: 'SKU', width: '13%', cell: ({ sku }) => <SkuCell id={sku} names={skuNames} /> },
          { title: 'tags', width: '14%', cell: ({ tags }) => tags.join(', ') },
          { title: 'identifiers', width: '16%', cell: ({ identifiers }) => <code>{identifiers.join(', ')}</code> },
          { title: 'runs', width: '17%', cell: ({ active }) => <ActiveCell active={active} /> },
          { title: 'obm', width: '5%', cell: ({ obms }) => (obms.length === 0 ? 'missing' : '✓') },
          { title: 'updated', width: '10%', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
        ]}
      />
    </>
  );
}

function RowCheck({ node: { id, name }, selected }: { node: ListedNode; selected: SelectedNodes }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
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

const sortTitles: Record<NodeFilter['sort'], string> = {
  '': 'name',
  '-name': 'name, descending',
  '-updated': 'last updated first',
  updated: 'first updated first',
};

function SortChoice({ sort, change }: Pick<NodeRowsProps, 'sort' | 'change'>) {
  return (
    <label class="sort">
      Sorted by{' '}
      <select
        value={sort}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value as NodeFilter['sort'] })}
      >
        {Object.entries(sortTitles).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
