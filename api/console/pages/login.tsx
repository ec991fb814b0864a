/** Asks for a name and a password, or leads to the provider. The address stays, so that a link leads to its page after the login. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GetAnswer } from '../../client/requests.ts';
import { logIn } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { Credentials } from '../parts/credentials.tsx';
import { ProviderButton } from '../parts/provider-button.tsx';

export function Login() {
  const methods = useSignal<GetAnswer<'/login/methods'> | undefined>(undefined);
  useEffect(() => {
    // The form remains, if the daemon does not answer now.
    void client.get('/login/methods').then(
      ({ body }) => {
        methods.value = body;
      },
      () => {},
    );
  }, []);
  const { password = true, oidc } = methods.value ?? {};
  return (
    <Credentials
      title="nodewright"
      action="Log in"
      password="current-password"
      submit={logIn}
      takesPassword={password}
      more={oidc && <ProviderButton issuer={oidc.issuer} />}
    />
  );
}
