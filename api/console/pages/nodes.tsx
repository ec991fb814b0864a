/** The list of nodes: filters in the address, and launches and tags for those that are selected. */
import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { mayOperate } from '../data/current-user.ts';
import { allNodes, isCut, listProblem, loading, MOST_NODES, useNodeList } from '../data/node-list.ts';
import { useSkuNames } from '../data/sku-names.ts';
import { countText } from '../parts/count-texts.ts';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { AddNode } from './nodes/add-node.tsx';
import { FilterLine } from './nodes/filter-line.tsx';
import { choicesIn, filteredNodes, type NodeFilter, nodeFilterIn, nodesAddress } from './nodes/node-filter.ts';
import { NodeRows } from './nodes/node-rows.tsx';
import { SelectionBar } from './nodes/selection-bar.tsx';
import '../styles/nodes.css';

const choices = computed(() => choicesIn(allNodes.value));

export function NodesPage() {
  useNodeList();
  const { query, route } = useLocation();
  const skuNames = useSkuNames();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const filter = nodeFilterIn(query);
  const address = nodesAddress(filter);
  const shownNodes = useMemo(() => filteredNodes(allNodes.value, filter), [allNodes.value, address]);
  const change = (changed: NodeFilter) => route(nodesAddress(changed), true);
  return (
    <div class="nodes">
      <header class="titled">
        <Heading>Nodes</Heading>
        {mayOperate.value && <AddNode />}
      </header>
      <FilterLine filter={filter} choices={choices.value} skuNames={skuNames.value} change={change} />
      <Problem error={listProblem.value} />
      <div class="actions selection">
        <Count shown={shownNodes.length} />
        {mayOperate.value && <SelectionBar shown={shownNodes} selected={selected} />}
      </div>
      {shownNodes.length > 0 || loading.value === undefined ? (
        <NodeRows
          rows={shownNodes}
          hasNodes={allNodes.value.length > 0}
          skuNames={skuNames.value}
          selected={mayOperate.value ? selected : undefined}
        />
      ) : null}
    </div>
  );
}

const number = new Intl.NumberFormat();

function Count({ shown }: { shown: number }) {
  const total = allNodes.value.length;
  const { read, total: expected } = loading.value ?? {};
  const isLoading = read !== undefined && read < (expected ?? 1) && total < (expected ?? 1);
  return (
    <span class="quiet" role="status">
      {shown === total ? countText(total, 'node') : `${number.format(shown)} of ${countText(total, 'node')}`}
      {isLoading && `, loading ${number.format(read)} of ${expected === undefined ? 'all' : number.format(expected)}`}
      {isCut.value && `. Only the oldest ${number.format(MOST_NODES)} are shown: the daemon has more.`}
    </span>
  );
}
