/** Roles: sets of privileges. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { PrivilegeFields, type PrivilegeName, privilegeNames } from './privilege-fields.tsx';

type Role = GetAnswer<'/roles'>[number];

/** They cannot be changed. */
const builtIn = ['Administrator', 'ReadOnly', 'Operator'];

export function RolesTab() {
  const live = useLive('roles', async () => (await client.get('/roles')).body);
  /** null: a new one. */
  const edited = useSignal<Role | null | undefined>(undefined);
  const close = () => {
    edited.value = undefined;
    live.reload();
  };
  return (
    <>
      <NeedsRight group="roles">
        <p class="actions">
          <button type="button" class="main" onClick={() => (edited.value = null)}>
            New role
          </button>
        </p>
      </NeedsRight>
      <LiveContent live={live}>
        {(roles) => (
          <DataTable
            label="Roles"
            rows={roles}
            keyOf={({ role }) => role}
            empty="There is no role."
            columns={[
              { title: 'role', cell: ({ role }) => role },
              { title: 'privileges', cell: ({ privileges }) => privileges.join(', ') },
              {
                title: 'actions',
                cell: (role) =>
                  builtIn.includes(role.role) ? (
                    <span class="quiet">built in</span>
                  ) : (
                    <NeedsRight group="roles">
                      <span class="actions">
                        <button type="button" aria-label={`Change ${role.role}`} onClick={() => (edited.value = role)}>
                          Change
                        </button>
                        <RemoveButton
                          what={`role ${role.role}`}
                          run={() => client.remove('/roles/:name', { params: { name: role.role } }).then(live.reload)}
                        />
                      </span>
                    </NeedsRight>
                  ),
              },
            ]}
          />
        )}
      </LiveContent>
      {edited.value !== undefined && <RoleDialog role={edited.value} close={close} />}
    </>
  );
}

/** @param role null: a new one */
function RoleDialog({ role, close }: { role: Role | null; close: () => void }) {
  const chosen = useSignal<readonly PrivilegeName[]>(role?.privileges ?? ['Read', 'Login', 'ConfigureSelf']);
  const held = session.value?.privileges ?? [];
  const submit = async (form: FormData) => {
    const privileges = [...chosen.value];
    if (role === null) await client.post('/roles', { body: { role: fieldText(form, 'role') ?? '', privileges } });
    else await client.patch('/roles/:name', { params: { name: role.role }, body: { privileges } });
    close();
  };
  return (
    <Dialog title={role === null ? 'New role' : `Role ${role.role}`} close={close}>
      <Form action={role === null ? 'Create' : 'Save'} submit={submit} cancel={close}>
        {role === null && (
          <Field label="Name" hint="letters, digits, . _ -">
            <input name="role" required pattern="[A-Za-z][0-9A-Za-z._\-]*" maxLength={256} autoComplete="off" />
          </Field>
        )}
        <PrivilegeFields chosen={chosen} offered={privilegeNames.filter((name) => held.includes(name))} />
        <p class="quiet">You can give those that you have. A change takes effect immediately.</p>
      </Form>
    </Dialog>
  );
}
