/** Creates the first user of a new daemon, from its own machine, and logs in. */

import { logIn } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { Credentials } from '../parts/credentials.tsx';

export function FirstUser() {
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
    >
      <p>
        This daemon has no users yet. The first one is an administrator, and can be created from the daemon's own
        machine only.
      </p>
    </Credentials>
  );
}
