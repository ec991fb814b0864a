/** The ways to log in that the daemon offers. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

/** Undefined: not read yet, or the daemon does not answer now; the form for a password remains. */
export function useLoginMethods(): ReadonlySignal<GetAnswer<'/login/methods'> | undefined> {
  const methods = useSignal<GetAnswer<'/login/methods'> | undefined>(undefined);
  useEffect(() => {
    void client.get('/login/methods').then(
      ({ body }) => {
        methods.value = body;
      },
      () => {},
    );
  }, []);
  return methods;
}
