/** The user of this page: the own privileges and password. */
import { useSignal } from '@preact/signals';
import { isProviderUser } from '../../../../engine/vocabulary/user-names.ts';
import { session } from '../../data/current-user.ts';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { UserDialog } from './user-dialog.tsx';

export function AccountTab() {
  const isChanged = useSignal(false);
  const { username, privileges = [] } = session.value ?? {};
  if (username === undefined || username === null)
    return <p class="quiet">This endpoint needs no login: every client that reaches it may do everything.</p>;
  return (
    <>
      <p>
        You are <strong>{username}</strong>, with the privileges {privileges.join(', ')}.
      </p>
      {!isProviderUser(username) && (
        <NeedsRight group="ownUser" method="PATCH">
          <button
            type="button"
            onClick={() => {
              isChanged.value = true;
            }}
          >
            Change the password
          </button>
        </NeedsRight>
      )}
      {isChanged.value && (
        <UserDialog
          change={{ kind: 'password', username }}
          close={() => {
            isChanged.value = false;
          }}
        />
      )}
    </>
  );
}
