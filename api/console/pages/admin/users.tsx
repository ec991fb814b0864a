/** Users, with their roles. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Ago } from '../../parts/time.tsx';
import { type UserChange, UserDialog } from './user-dialog.tsx';

type User = GetAnswer<'/users'>[number];

/** That on the whole site, and those on the nodes of teams. */
const rolesOf = ({ role, bindings = [] }: User): string =>
  [...(role === undefined ? [] : [role]), ...bindings.map((one) => `${one.role} of ${one.team}`)].join(', ');

export function UsersTab() {
  const live = useLive('users', async () => (await client.get('/users')).body);
  const change = useSignal<UserChange | undefined>(undefined);
  const close = () => {
    change.value = undefined;
    live.reload();
  };
  return (
    <>
      <NeedsRight group="users">
        <p class="actions">
          <button type="button" class="main" onClick={() => (change.value = { kind: 'new' })}>
            New user
          </button>
        </p>
      </NeedsRight>
      <LiveContent live={live}>
        {(users) => (
          <DataTable
            label="Users"
            rows={users}
            keyOf={({ username }) => username}
            empty="There is no user."
            columns={[
              { title: 'name', cell: ({ username }) => username },
              { title: 'role', cell: rolesOf },
              {
                title: 'last log-in',
                cell: ({ lastLoginAt = null }) => <Ago at={lastLoginAt} />,
              },
              {
                title: 'actions',
                cell: (user) => (
                  <UserActions user={user} change={(next) => (change.value = next)} removed={live.reload} />
                ),
              },
            ]}
          />
        )}
      </LiveContent>
      {change.value !== undefined && <UserDialog change={change.value} close={close} />}
    </>
  );
}

interface UserActionsProps {
  user: User;
  change: (change: UserChange) => void;
  removed: () => void;
}

function UserActions({ user: { username, role }, change, removed }: UserActionsProps) {
  const isOwn = username === session.value?.username;
  return (
    <span class="actions">
      <NeedsRight group={isOwn ? 'ownUser' : 'users'} method="PATCH">
        <button
          type="button"
          aria-label={`Change the password of ${username}`}
          onClick={() => change({ kind: 'password', username })}
        >
          Password
        </button>
      </NeedsRight>
      <NeedsRight group="users">
        <button
          type="button"
          aria-label={`Change the role of ${username}`}
          onClick={() => change({ kind: 'role', username, role: role ?? '' })}
        >
          Role
        </button>
        <RemoveButton
          what={`user ${username}`}
          run={() => client.remove('/users/:name', { params: { name: username } }).then(removed)}
        >
          <p>The tokens and sessions of the user end.</p>
        </RemoveButton>
      </NeedsRight>
    </span>
  );
}
