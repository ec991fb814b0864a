/** API tokens, for programs: the own ones, and those of others for users with ConfigureUsers. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { isProviderUser } from '../../../../engine/vocabulary/user-names.ts';
import { may, session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { NewToken } from './new-token.tsx';

export function TokensTab() {
  const { query, path, route } = useLocation();
  const username = session.value?.username ?? '';
  // A user of the provider has its tokens.
  const user = query.user ?? (isProviderUser(username) ? '' : username);
  return (
    <>
      {may('users', 'POST') && may('users') && (
        <UserChoice
          user={user}
          choose={(name) => route(`${path}?${new URLSearchParams({ tab: 'tokens', user: name })}`, true)}
        />
      )}
      {user === '' ? <p class="quiet">Choose a user.</p> : <TokensOf key={user} user={user} />}
    </>
  );
}

function UserChoice({ user, choose }: { user: string; choose: (name: string) => void }) {
  const live = useLive('users', async () => (await client.get('/users')).body);
  return (
    <LiveContent live={live}>
      {(users) => (
        <Field label="User">
          <select value={user} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {user === '' && <option value="" />}
            {users.map(({ username }) => (
              <option key={username} value={username}>
                {username}
              </option>
            ))}
          </select>
        </Field>
      )}
    </LiveContent>
  );
}

function TokensOf({ user }: { user: string }) {
  const params = { name: user };
  const live = useLive(`tokens ${user}`, async () => (await client.get('/users/:name/tokens', { params })).body);
  const isNew = useSignal(false);
  const close = () => {
    isNew.value = false;
    live.reload();
  };
  return (
    <>
      <p class="actions">
        <button type="button" class="main" onClick={() => (isNew.value = true)}>
          New token
        </button>
      </p>
      <LiveContent live={live}>
        {(tokens) => (
          <DataTable
            label={`Tokens of ${user}`}
            rows={tokens}
            keyOf={({ id }) => id}
            empty="No API token yet. A program, or nw, logs in with one instead of a password."
            columns={[
              { title: 'use', cell: ({ note }) => <ShortText text={note} /> },
              { title: 'begins with', cell: ({ prefix }) => <code>{prefix}</code> },
              { title: 'privileges', cell: ({ privileges }) => privileges.join(', ') },
              { title: 'created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
              {
                title: 'last used',
                cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
              },
              { title: 'ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              { title: 'id', cell: ({ id }) => <CopyableText text={id} /> },
              {
                title: 'actions',
                cell: ({ id, note }) => (
                  <RemoveButton
                    what={`token ${note.slice(0, 40)}`}
                    run={() =>
                      client.remove('/users/:name/tokens/:id', { params: { ...params, id } }).then(live.reload)
                    }
                  >
                    <p>Programs that use it are rejected immediately.</p>
                  </RemoveButton>
                ),
              },
            ]}
          />
        )}
      </LiveContent>
      {isNew.value && (
        <Dialog title={`New token of ${user}`} close={close}>
          <NewToken user={user} done={close} />
        </Dialog>
      )}
    </>
  );
}
