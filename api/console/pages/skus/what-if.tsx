/** The nodes that the edited rules would move, before they are saved. */
import { useSignal } from '@preact/signals';
import type { SkuRule } from '../../../../engine/api-port/index.ts';
import { type Matching, useMatching, useVerdicts } from '../../data/matching-nodes.ts';
import { allNodes, liveNodes, loading } from '../../data/node-list.ts';
import { chosenNode, NodeChoice } from '../../parts/launch/node-choice.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RuleVerdictTable } from '../../parts/rule-verdicts.tsx';
import { type SkuChanges, type SkuRank, skuChanges } from './sku-change.ts';

interface WhatIfProps {
  /** '': a new one. */
  id: string;
  rules: readonly SkuRule[];
  ranks: ReadonlyMap<string, SkuRank>;
  names: ReadonlyMap<string, string>;
}

export function WhatIf({ id, rules, ranks, names }: WhatIfProps) {
  const { value, problem, isAsking } = useMatching(rules);
  const matching = value.value;
  const changed = { id, rules: rules.length, createdAt: ranks.get(id)?.createdAt ?? '' };
  const isListed =
    liveNodes.value.value !== undefined &&
    (loading.value === undefined || allNodes.value.length >= (loading.value.total ?? Number.MAX_VALUE));
  return (
    <section aria-label="Nodes that would move">
      <h2>Nodes that would move</h2>
      <p class="quiet" role="status">
        {rules.length === 0 && 'There are no rules yet.'}
        {(isAsking.value || !isListed) && rules.length > 0 && 'Testing the nodes'}
      </p>
      <Problem error={problem.value} />
      {matching !== undefined && isListed && (
        <ChangeList
          matching={matching}
          changes={skuChanges(changed, ranks, matching.ids, new Map(allNodes.value.map((node) => [node.id, node.sku])))}
          names={names}
        />
      )}
      <RuleVerdict rules={rules} />
    </section>
  );
}

interface SkuChangesProps {
  matching: Matching;
  changes: SkuChanges;
  names: ReadonlyMap<string, string>;
}

function ChangeList({
  matching: { ids, tested, total },
  changes: { gained, kept, lost, stay },
  names,
}: SkuChangesProps) {
  const nameOf = (sku: string | null) => (sku === null ? 'that have no SKU' : `of ${names.get(sku) ?? sku}`);
  return (
    <>
      <p>
        {ids.length} of {tested} nodes match{tested < total && ` (only the first ${tested} of ${total} were tested)`}.
      </p>
      <ul class="sku-moves">
        {[...gained].map(([sku, nodes]) => (
          <Group key={`gained ${sku}`} title={`${nodes.length} ${nameOf(sku)} would get it`} nodes={nodes} />
        ))}
        {lost.length > 0 && <Group title={`${lost.length} would lose it`} nodes={lost} />}
        {kept.length > 0 && <Group title={`${kept.length} would keep it`} nodes={kept} />}
        {[...stay].map(([sku, nodes]) => (
          <Group
            key={`stay ${sku}`}
            title={`${nodes.length} would stay with ${names.get(sku) ?? sku}, which is preferred: it has more rules, or is older`}
            nodes={nodes}
          />
        ))}
      </ul>
      {gained.size === 0 && lost.length === 0 && <p>No node would move.</p>}
    </>
  );
}

/** Nodes of a group that are named. */
const NODES_SHOWN = 100;

function Group({ title, nodes }: { title: string; nodes: readonly string[] }) {
  return (
    <li>
      <details>
        <summary>{title}</summary>
        {nodes.slice(0, NODES_SHOWN).map((id) => (
          <span key={id}>
            <NodeLink id={id} />{' '}
          </span>
        ))}
        {nodes.length > NODES_SHOWN && <span class="quiet">and {nodes.length - NODES_SHOWN} more</span>}
      </details>
    </li>
  );
}

function RuleVerdict({ rules }: { rules: readonly SkuRule[] }) {
  const node = useSignal<string | undefined>(undefined);
  const { value, problem } = useVerdicts(rules, node.value);
  return (
    <>
      <h3>The rules for one node</h3>
      <NodeChoice
        none="Empty: no explanation"
        choose={(chosen) => {
          node.value = chosenNode(chosen)?.id;
        }}
      />
      <Problem error={problem.value} />
      {value.value !== undefined && <RuleVerdictTable verdicts={value.value} />}
    </>
  );
}
