/** The plans of a launch: of one node, of a node of each SKU, or without a node. */
import { isDestructive } from '../../../client/destruction.ts';
import type { LaunchNode, LivePlans, PlanOfNode } from '../../data/plan-data.ts';
import { inShort } from '../in-short.ts';
import { Problem } from '../problem.tsx';
import { BusyNodes } from './busy-nodes.tsx';
import { PlanTable } from './plan-table.tsx';

export function UnplannedNote({ planned: { problem } }: { planned: LivePlans }) {
  return problem.value === undefined ? <p class="quiet">Planning</p> : <Problem error={problem.value} />;
}

interface PlanListProps {
  plans: readonly PlanOfNode[];
  nodes: readonly LaunchNode[];
}

export function PlanList({ plans, nodes }: PlanListProps) {
  const [first, ...others] = plans.filter(isShown);
  return (
    <>
      <BusyNodes nodes={nodes} />
      {nodes.length > plans.length && (
        <p class="quiet">
          {plans.length === 1 ? 'One node was planned for' : `${plans.length} nodes were planned for`}, of{' '}
          {nodes.length}. A node that is rejected spoils nothing for the others.
        </p>
      )}
      {first !== undefined && <PlanTable plan={first.plan} target={targetOf(first)} />}
      {others.map((other) => (
        <details key={other.node?.id} open={other.plan.rejections.length > 0}>
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

/** One plan of each version of the graph, and each with a rejection. */
const isShown = ({ plan }: PlanOfNode, at: number, plans: readonly PlanOfNode[]): boolean =>
  plan.rejections.length > 0 || plans.findIndex((other) => other.plan.definitionHash === plan.definitionHash) === at;

const targetOf = ({ node }: PlanOfNode): string => (node === undefined ? 'without a node' : `on ${inShort(node.name)}`);
