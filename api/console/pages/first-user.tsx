/** Creates the first user of a new daemon, from its own machine, and logs in; users of the provider need none. */

import { logIn } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { useLoginMethods } from '../data/login-methods.ts';
import { Credentials } from '../parts/credentials.tsx';
import { ProviderButton } from '../parts/provider-button.tsx';

export function FirstUser() {
  const oidc = useLoginMethods().value?.oidc;
  const create = async (username: string, password: string) => {
    await client.post('/users', { body: { username, password, role: 'Administrator' } });
    await logIn(username, password);
  };
  return (
    <Credentials
      title="Create the first user"
      action="Create the user, and log in"
      password="new-password"
      submit={create}
      more={oidc && <ProviderButton issuer={oidc.issuer} />}
    >
      <p>
        This daemon has no users yet. The first one is an administrator, and can be created from the daemon's own
        machine only.
      </p>
    </Credentials>
  );
}
