/** In the place of what the user may not read: nothing is wrong, so it is no error. */
import { session } from '../data/current-user.ts';
import type { RequestError } from '../data/request-error.ts';

export function NoRight({ error: { requiredPrivileges } }: { error: RequestError }) {
  const place = session.value?.teams === undefined ? '' : ' on the whole site';
  const rights = requiredPrivileges.length === 0 ? '' : `: ${requiredPrivileges.join(' or ')}`;
  return (
    <p class="quiet">
      To read this, your role{place} needs a right that it lacks{rights}. A user with ConfigureUsers can give it.
    </p>
  );
}
