/** The targets of a launch: one node, none, or all nodes that a filter selects. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { allNodes, liveNodes, useNodeList } from '../../data/node-list.ts';
import { useSkuNames } from '../../data/sku-names.ts';
import { FilterLine } from '../node-filter/filter-line.tsx';
import { choicesIn, emptyFilter, filteredNodes, isSelecting, type NodeFilter } from '../node-filter/node-filter.ts';
import { chosenNode, NodeChoice } from './node-choice.tsx';

interface TargetChoiceProps {
  /**
   * Called with the targets; undefined: they are not known yet.
   * @param filter that selects them; absent: they are chosen one by one
   */
  choose: (targets: readonly LaunchNode[] | undefined, filter?: NodeFilter) => void;
}

export function TargetChoice({ choose }: TargetChoiceProps) {
  const isFiltered = useSignal(false);
  const way = (title: string, isFilter: boolean) => (
    <label>
      <input
        type="radio"
        name="targets"
        checked={isFiltered.value === isFilter}
        onChange={() => {
          isFiltered.value = isFilter;
          choose(isFilter ? undefined : []);
        }}
      />{' '}
      {title}
    </label>
  );
  return (
    <fieldset class="target-choice">
      <legend>On</legend>
      <p class="actions">
        {way('One node, or none', false)}
        {way('Nodes by filter', true)}
      </p>
      {isFiltered.value ? (
        <FilteredTargets choose={choose} />
      ) : (
        <NodeChoice
          choose={(chosen) => {
            const node = chosenNode(chosen);
            choose(chosen === 'none' ? [] : node && [node]);
          }}
        />
      )}
    </fieldset>
  );
}

function FilteredTargets({ choose }: TargetChoiceProps) {
  useNodeList();
  const skuNames = useSkuNames().value;
  const filter = useSignal<NodeFilter>(emptyFilter);
  const nodes = isSelecting(filter.value) ? filteredNodes(allNodes.value, filter.value) : [];
  // Also when nodes come or change after the filter was typed.
  useEffect(() => choose(nodes.length === 0 ? undefined : nodes, filter.value), [allNodes.value, filter.value]);
  return (
    <>
      <FilterLine
        filter={filter.value}
        choices={choicesIn(allNodes.value)}
        skuNames={skuNames}
        change={(changed) => {
          filter.value = changed;
        }}
      />
      <p class="quiet" role="status">
        {liveNodes.value.value === undefined
          ? 'Loading the nodes'
          : isSelecting(filter.value)
            ? `${countText(nodes.length, 'node')} ${nodes.length === 1 ? 'matches' : 'match'}`
            : 'A filter selects the nodes, such as state:free sku:"PowerEdge R650".'}
      </p>
    </>
  );
}
