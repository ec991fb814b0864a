/** The drives that a launch destroys, and its effect on the power: in its plan, and where it is confirmed. */
import { destructionTexts, isDestructive, powerText } from '../../../client/destruction.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import type { PlanOfNode } from '../../data/plan-data.ts';
import { inShort } from '../in-short.ts';

export function PlanEffects({ plan }: { plan: ShownPlan }) {
  const texts = isDestructive(plan) ? destructionTexts(plan) : [];
  const power = powerText(plan);
  return (
    <>
      {texts.length > 0 && (
        <ul class="destructive" aria-label="Drives whose content is destroyed">
          {texts.map((text) => (
            <li key={text}>{inShort(text)}</li>
          ))}
        </ul>
      )}
      {power !== undefined && <p>The power of the node {power}.</p>}
    </>
  );
}

/** Several nodes may be launched on; the drives of those without a plan are not known here. */
export function Destruction({ plans, count }: { plans: readonly PlanOfNode[]; count: number }) {
  const destructive = plans.filter(({ plan }) => isDestructive(plan));
  const remainingCount = Math.max(0, count - plans.length);
  if (destructive.length === 0) return null;
  return (
    <div class="problem" role="alert">
      <p>The launch destroys the content of these drives:</p>
      {destructive.map(({ node, plan }) => (
        <section key={node?.id ?? ''}>
          <strong>{node === undefined ? 'without a node' : inShort(node.name)}</strong>
          <PlanEffects plan={plan} />
        </section>
      ))}
      {remainingCount > 0 && <p>And of drives of {remainingCount} more nodes, which are not listed here.</p>}
    </div>
  );
}
