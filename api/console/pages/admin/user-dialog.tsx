/** A new user, another role, another password. */
import { logOut, session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

export type UserChange =
  | { kind: 'new' }
  | { kind: 'password'; username: string }
  | { kind: 'role'; username: string; role: string };

export function UserDialog({ change, close }: { change: UserChange; close: () => void }) {
  const titles = { new: 'New user', password: 'New password', role: 'Another role' };
  const submit = async (form: FormData) => {
    await request(change, form);
    close();
    // The token has ended with the old password.
    if (change.kind === 'password' && change.username === session.value?.username) await logOut();
  };
  return (
    <Dialog title={titles[change.kind]} close={close}>
      <Form action={change.kind === 'new' ? 'Create' : 'Save'} submit={submit} cancel={close}>
        {change.kind === 'new' ? (
          <Field label="Name" hint="letters, digits, . _ -">
            <input name="username" required pattern="[A-Za-z][0-9A-Za-z._\-]*" maxLength={256} autoComplete="off" />
          </Field>
        ) : (
          <p>
            <strong>{change.username}</strong>
          </p>
        )}
        {change.kind !== 'role' && (
          <Field
            label="Password"
            hint={`at least 6 characters${change.kind === 'password' ? '; tokens and sessions made before end' : ''}`}
          >
            <input name="password" type="password" required minLength={6} maxLength={512} autoComplete="new-password" />
          </Field>
        )}
        {change.kind !== 'password' && <RoleField role={change.kind === 'role' ? change.role : 'Operator'} />}
      </Form>
    </Dialog>
  );
}

function RoleField({ role }: { role: string }) {
  const live = useLive('roles', async () => (await client.get('/roles')).body);
  return (
    <LiveContent live={live}>
      {(roles) => (
        <ChoiceField
          label="Role"
          name="role"
          initial={role}
          choices={roles.map((one) => [one.role, one.role] as const)}
        />
      )}
    </LiveContent>
  );
}

function request(change: UserChange, form: FormData): Promise<unknown> {
  const [username = '', password = '', role = ''] = ['username', 'password', 'role'].map((name) =>
    fieldText(form, name),
  );
  if (change.kind === 'new') return client.post('/users', { body: { username, password, role } });
  const body = change.kind === 'role' ? { role } : { password };
  return client.patch('/users/:name', { params: { name: change.username }, body });
}
