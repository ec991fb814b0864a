/** The reasons for which a launch would be rejected, in words; the code of each is shown on hover. */
import type { ShownPlan } from '../../../client/shown-plan.ts';
import { Sentence } from '../sentence.tsx';
import { rejectionText } from './rejection-text.ts';

type Rejection = ShownPlan['rejections'][number];

export function PlanRejections({ of }: { of: readonly Rejection[] }) {
  if (of.length === 0) return null;
  return (
    <div class="problem" role="alert">
      <p>The launch would be rejected:</p>
      <ul>
        {of.map((rejection) => (
          <li key={`${rejection.path} ${rejection.message}`} title={rejection.code}>
            <Sentence text={rejectionText(rejection)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
