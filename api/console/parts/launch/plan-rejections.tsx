/** The steps that are open before a launch, then the reasons for which it would be rejected; the code of each is shown on hover. */
import type { ShownPlan } from '../../../client/shown-plan.ts';
import { Sentence } from '../sentence.tsx';
import { isOpenStep, rejectionText } from './rejection-text.ts';

type Rejection = ShownPlan['rejections'][number];

export function PlanRejections({ of }: { of: readonly Rejection[] }) {
  const reasons = of.filter((rejection) => !isOpenStep(rejection));
  return (
    <>
      {of.filter(isOpenStep).map((step) => (
        <p class="quiet" key={step.path}>
          {rejectionText(step)}
        </p>
      ))}
      {reasons.length > 0 && (
        <div class="problem" role="alert">
          <p>The launch would be rejected:</p>
          <ul>
            {reasons.map((rejection) => (
              <li key={`${rejection.path} ${rejection.message}`} title={rejection.code}>
                <Sentence text={rejectionText(rejection)} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
