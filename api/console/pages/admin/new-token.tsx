/** Creates an API token, and shows it once. */
import { useSignal } from '@preact/signals';
import { DAY_SEC } from '../../../../engine/vocabulary/units.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { PrivilegeFields, type PrivilegeName, privilegeNames } from './privilege-fields.tsx';

const spans: [string, number | undefined][] = [
  ['a day', DAY_SEC],
  ['30 days', 30 * DAY_SEC],
  ['a year', 365 * DAY_SEC],
  ['without an end', undefined],
];

export function NewToken({ user, done }: { user: string; done: () => void }) {
  const createdToken = useSignal<string | undefined>(undefined);
  const chosen = useSignal<readonly PrivilegeName[]>([]);
  const held = session.value?.privileges ?? [];
  const submit = async (form: FormData) => {
    const expiresInSec = Number(fieldText(form, 'span') ?? 0);
    const body = {
      note: fieldText(form, 'note') ?? '',
      ...(expiresInSec > 0 && { expiresInSec }),
      ...(chosen.value.length > 0 && { privileges: [...chosen.value] }),
    };
    createdToken.value = (await client.post('/users/:name/tokens', { params: { name: user }, body })).body.token;
  };
  if (createdToken.value !== undefined) {
    return (
      <>
        <p>Copy the token now: it is not shown again.</p>
        <p class="secret">
          <CopyableText text={createdToken.value} short={4_096} />
        </p>
        <div class="actions">
          <button type="button" class="main" onClick={done}>
            Done
          </button>
        </div>
      </>
    );
  }
  return (
    <Form action="Create" submit={submit} cancel={done}>
      <Field label="Use" hint="such as the program that gets it">
        <input name="note" required maxLength={256} autoComplete="off" />
      </Field>
      <Field label="Valid for">
        <select name="span">
          {spans.map(([title, seconds = 0]) => (
            <option key={title} value={seconds} selected={seconds === 30 * DAY_SEC}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      <PrivilegeFields chosen={chosen} offered={privilegeNames.filter((name) => held.includes(name))} />
      <p class="quiet">Without a choice it has all that {user} has now.</p>
    </Form>
  );
}
