/** The log-in at the provider of OpenID Connect. */
import { useSignal } from '@preact/signals';
import { goToProvider, providerProblem } from '../data/provider-login.ts';
import { Problem } from './problem.tsx';

export function ProviderButton({ issuer }: { issuer: string }) {
  const isLeaving = useSignal(false);
  const leave = async () => {
    [isLeaving.value, providerProblem.value] = [true, undefined];
    try {
      await goToProvider();
    } catch (error) {
      [isLeaving.value, providerProblem.value] = [false, error];
    }
  };
  return (
    <div class="provider">
      <Problem error={providerProblem.value} />
      <button type="button" disabled={isLeaving.value} onClick={() => void leave()}>
        Log in at {new URL(issuer).host}
      </button>
    </div>
  );
}
