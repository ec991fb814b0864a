/** The plan beside the form of a launch: what it destroys, its effect on the power, its duration, and what prevents it. */
import { destroyedDrives, destructionTexts, isDestructive, powerText } from '../../../client/destruction.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import { usualTime } from '../../../client/usual-time.ts';
import type { LaunchNode, PlanOfNode } from '../../data/launch-node.ts';
import type { LivePlans } from '../../data/plan-data.ts';
import { planSum, plansByVersion } from '../../data/plan-rows.ts';
import { inShort, listInShort } from '../in-short.ts';
import { Problem } from '../problem.tsx';
import { PlanRejections } from './plan-rejections.tsx';
import { PlannedNodes } from './planned-nodes.tsx';
import { isOpenStep } from './rejection-text.ts';
import { TaskTable } from './task-table.tsx';

interface PlanSideProps {
  planned: LivePlans;
  nodes: readonly LaunchNode[];
}

export function PlanSide({ planned: { plans, problem, isPlanning }, nodes }: PlanSideProps) {
  return (
    <section class="plan-side" aria-label="Plan" aria-busy={isPlanning}>
      <h3>Plan {isPlanning && plans.value !== undefined && <small class="quiet">planning again</small>}</h3>
      {plans.value !== undefined ? (
        <Plan plans={plans.value} nodes={nodes} />
      ) : problem.value === undefined ? (
        <p class="quiet">Planning</p>
      ) : (
        <Problem error={problem.value} />
      )}
    </section>
  );
}

function Plan({ plans, nodes }: { plans: readonly PlanOfNode[]; nodes: readonly LaunchNode[] }) {
  const [first] = plans;
  if (first === undefined) return null;
  const isMany = nodes.length > 1;
  const { common } = planSum(nodes, plans);
  const versions = plansByVersion(plans);
  const power = powerText(first.plan);
  return (
    <>
      {isMany ? <PlannedNodes plans={plans} nodes={nodes} /> : <Drives plan={first.plan} />}
      <PlanRejections of={common} />
      <dl class="facts">
        <dt>Power</dt>
        <dd>{power ?? 'stays as it is'}</dd>
        <dt>Duration</dt>
        <dd>{usualTime(first.plan.usualMs)}</dd>
      </dl>
      {versions.map(({ plan, nodes: same }) => (
        <TaskTable
          key={plan.definitionHash}
          plan={plan}
          target={
            versions.length === 1
              ? ''
              : listInShort(
                  same.map(({ name }) => inShort(name)),
                  3,
                )
          }
        />
      ))}
    </>
  );
}

function Drives({ plan }: { plan: ShownPlan }) {
  // Which drives it destroys may depend on an option that has no value yet.
  const isOpen = destroyedDrives(plan).drives.length === 0 && plan.rejections.some(isOpenStep);
  if (isOpen || !isDestructive(plan)) return null;
  return (
    <>
      <p>
        <strong class="destructive">The content of these drives is destroyed:</strong>
      </p>
      <ul class="destructive" aria-label="Drives whose content is destroyed">
        {destructionTexts(plan).map((text) => (
          <li key={text}>{inShort(text)}</li>
        ))}
      </ul>
    </>
  );
}
