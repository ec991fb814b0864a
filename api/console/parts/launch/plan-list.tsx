/** The plans of a launch: of one node, of a node of each SKU, or without a node. */
import { isDestructive } from '../../../client/shown-plan.ts';
import type { LivePlans, PlanOfNode } from '../../data/planned.ts';
import { inShort } from '../in-short.ts';
import { Problem } from '../problem.tsx';
import { PlanTable } from './plan-table.tsx';

export function Unplanned({ planned: { problem } }: { planned: LivePlans }) {
  return problem.value === undefined ? <p class="quiet">Planning</p> : <Problem error={problem.value} />;
}

export function PlanList({ plans: [first, ...others], count }: { plans: readonly PlanOfNode[]; count: number }) {
  const planned = others.length + 1;
  return (
    <>
      {count > planned && (
        <p class="quiet">
          {planned === 1 ? 'The plan of one node' : `The plans of ${planned} nodes`}, one for each SKU, of {count}{' '}
          nodes. A node that is refused spoils nothing for the others.
        </p>
      )}
      {first !== undefined && <PlanTable plan={first.plan} target={targetOf(first)} />}
      {others.map((other) => (
        <details key={other.node?.id} open={other.plan.refusals.length > 0}>
          <summary>
            Plan {targetOf(other)}
            {isDestructive(other.plan) && <strong class="destructive">, destructive</strong>}
          </summary>
          <PlanTable plan={other.plan} target={targetOf(other)} />
        </details>
      ))}
    </>
  );
}

const targetOf = ({ node }: PlanOfNode): string => (node === undefined ? 'without a node' : `on ${inShort(node.name)}`);
