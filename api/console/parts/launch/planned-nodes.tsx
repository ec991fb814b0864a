/** The plans of several nodes: the sum, then for each node what differs. */

import { countText, nounFor } from '../../../../engine/vocabulary/count-texts.ts';
import { destructionTexts } from '../../../client/destruction.ts';
import type { LaunchNode, PlanOfNode } from '../../data/launch-node.ts';
import { type PlanRow, planRows, planSum } from '../../data/plan-rows.ts';
import { inShort } from '../in-short.ts';
import { WorkflowLink } from '../links.tsx';
import { Sentence } from '../sentence.tsx';
import { rejectionText } from './rejection-text.ts';

/** Nodes that are named. */
const NODES_SHOWN = 50;

interface PlannedNodesProps {
  plans: readonly PlanOfNode[];
  nodes: readonly LaunchNode[];
}

export function PlannedNodes({ plans, nodes }: PlannedNodesProps) {
  const { ready, busy, held, rejected, drives, erased } = planSum(nodes, plans);
  const rows = planRows(nodes, plans);
  const obstacles: (readonly [count: number, words: string])[] = [
    [busy, 'busy'],
    [held, 'held'],
    [rejected, 'rejected'],
  ];
  return (
    <>
      <p role="status">
        <strong>
          {ready} of {countText(nodes.length, 'node')}
        </strong>{' '}
        can be launched on
        {obstacles.map(([count, words]) => count > 0 && `; ${count} ${nounFor(count, 'is', 'are')} ${words}`)}.
        {ready < nodes.length && ready > 0 && ' The others are launched.'}
      </p>
      {erased > 0 && (
        <p>
          <strong class="destructive">
            The content of {drives > 0 ? countText(drives, 'drive') : 'drives'} is destroyed on{' '}
            {countText(erased, 'node')}
            {plans.length < nodes.length && `; ${nodes.length - plans.length} more were not planned for`}.
          </strong>
        </p>
      )}
      {rows.length > 0 && (
        <ul class="planned-nodes" aria-label="Nodes that differ">
          {rows.slice(0, NODES_SHOWN).map((row) => (
            <NodeRow key={row.node.id} row={row} />
          ))}
        </ul>
      )}
      {rows.length > NODES_SHOWN && <p class="quiet">and {countText(rows.length - NODES_SHOWN, 'node')} more</p>}
    </>
  );
}

function NodeRow({ row: { node, destroys, rejections } }: { row: PlanRow }) {
  const { active = null } = node;
  const others = active === null ? rejections : rejections.filter(({ code }) => code !== 'NODE_BUSY');
  return (
    <li>
      <strong>{inShort(node.name)}</strong>
      {active !== null && (
        <p class="obstacle">
          busy with {active.name}, <WorkflowLink id={active.id} />
        </p>
      )}
      {others.map((rejection) => (
        <p class="obstacle" key={`${rejection.path} ${rejection.message}`} title={rejection.code}>
          <Sentence text={rejectionText(rejection)} />
        </p>
      ))}
      {destroys !== undefined && (
        <ul class="destructive">
          {destructionTexts(destroys).map((text) => (
            <li key={text}>{inShort(text)}</li>
          ))}
        </ul>
      )}
    </li>
  );
}
