/** The list of nodes: filters in the address, and launches and tags for those that are selected. */
import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import type { ListedNode } from '../data/listed-node.ts';
import { allNodes, isCut, liveNodes, loading, MOST_NODES, useNodeList } from '../data/node-list.ts';
import { placeOfNode } from '../data/node-place.ts';
import { useSkuNames } from '../data/sku-names.ts';
import { withColumns } from '../data/table-views.ts';
import { Heading } from '../parts/heading.tsx';
import { inShort } from '../parts/in-short.ts';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { FilterLine } from '../parts/node-filter/filter-line.tsx';
import {
  choicesIn,
  emptyFilter,
  filteredNodes,
  type NodeFilter,
  nodeFilterIn,
  nodesAddress,
} from '../parts/node-filter/node-filter.ts';
import { sortedNodes } from '../parts/node-filter/node-order.ts';
import { choiceColumn } from '../parts/table/row-choice.tsx';
import { SavedViews } from '../parts/table/saved-views.tsx';
import { shownColumns } from '../parts/table/table-columns.ts';
import { TableMenu } from '../parts/table/table-menu.tsx';
import { useChosenColumns } from '../parts/table/use-chosen-columns.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import { AddNode } from './nodes/add-node.tsx';
import { nodeColumns } from './nodes/node-columns.tsx';
import { nodeCardHeight } from './nodes/node-row.ts';
import { SelectionBar } from './nodes/selection-bar.tsx';

const choices = computed(() => choicesIn(allNodes.value));

const usualViews: readonly [string, Partial<NodeFilter>][] = [
  ['All', {}],
  ['Busy', { state: 'busy' }],
  ['Failed', { state: 'failed' }],
  ['Critical', { health: 'critical' }],
  ['Held', { held: 'held' }],
];

export function NodesPage() {
  useNodeList();
  const { query, route } = useLocation();
  const skuNames = useSkuNames().value;
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const filter = nodeFilterIn(query);
  const address = nodesAddress(filter);
  const { chosen, choose } = useChosenColumns('/nodes', address);
  const shownNodes = useMemo(
    () =>
      sortedNodes(filteredNodes(allNodes.value, filter), filter.sort, {
        sku: (id) => skuNames.get(id) ?? id,
        place: placeOfNode,
      }),
    [allNodes.value, address, skuNames],
  );
  const change = (changed: NodeFilter) => route(withColumns(nodesAddress(changed), query.columns), true);
  const order = {
    sort: filter.sort || 'name',
    sortBy: (sort: string) => change(nodeFilterIn({ ...filter, sort })),
  };
  const columns = nodeColumns(skuNames, allNodes.value);
  const choiceBox = choiceColumn<ListedNode>(selected, shownNodes, ({ name }) => inShort(name));
  return (
    <>
      <header class="titled">
        <Heading>Nodes</Heading>
        <NeedsRight owner={null}>
          <AddNode />
        </NeedsRight>
      </header>
      <SavedViews
        page="/nodes"
        address={address}
        usual={usualViews.map(([title, view]) => ({ title, address: nodesAddress({ ...emptyFilter, ...view }) }))}
      />
      <FilterLine filter={filter} choices={choices.value} skuNames={skuNames} change={change} />
      <LiveContent live={liveNodes}>
        {(all) => (
          <>
            <div class="actions table-bar">
              <Count shown={shownNodes.length} />
              <NeedsRight>
                <SelectionBar shown={shownNodes} selected={selected} />
              </NeedsRight>
              <TableMenu columns={columns} chosen={chosen} choose={choose} {...order} />
            </div>
            {(shownNodes.length > 0 || loading.value === undefined) && (
              <WindowedList
                label="Nodes"
                rows={shownNodes}
                keyOf={({ id }) => id}
                empty={all.length > 0 ? 'No node matches the filters.' : NO_NODE}
                columns={shownColumns([choiceBox, ...columns], chosen)}
                order={order}
                cardHeight={nodeCardHeight}
              />
            )}
          </>
        )}
      </LiveContent>
    </>
  );
}

const NO_NODE = 'No node yet. Add one, or let a machine boot from the network of the daemon: it is discovered then.';

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
