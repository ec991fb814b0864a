/** The log-in at the provider of OpenID Connect, and what the log-out before did there. */
import { useSignal } from '@preact/signals';
import { endedSession, goToProvider, providerProblem } from '../data/provider-login.ts';
import { Problem } from './problem.tsx';

export function ProviderButton({ issuer }: { issuer: string }) {
  const isLeaving = useSignal(false);
  const leave = async () => {
    [isLeaving.value, providerProblem.value, endedSession.value] = [true, undefined, undefined];
    try {
      await goToProvider();
    } catch (error) {
      [isLeaving.value, providerProblem.value] = [false, error];
    }
  };
  const { host } = new URL(issuer);
  return (
    <div class="provider">
      {endedSession.value === 'asked' && (
        <p role="status">You are logged out here, and {host} was asked to end your session there.</p>
      )}
      {endedSession.value === 'remains' && (
        <p role="status">
          You are logged out here. Your session at {host} may remain: at a shared computer, log out there, too.
        </p>
      )}
      <Problem error={providerProblem.value} />
      <button type="button" disabled={isLeaving.value} onClick={() => void leave()}>
        Log in at {host}
      </button>
    </div>
  );
}
