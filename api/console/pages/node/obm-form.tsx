/** Sets the obm of a node for one service. The password can be written, and never read. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';

const services = ['ipmi-obm-service', 'redfish-obm-service', 'noop-obm-service'] as const;

export function ObmForm({ id, reload }: { id: string; reload: () => void }) {
  const service = useSignal<(typeof services)[number]>('ipmi-obm-service');
  const problem = useSignal<unknown>(undefined);
  const hasHost = service.value !== 'noop-obm-service';
  const isRedfish = service.value === 'redfish-obm-service';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name) ?? '');
    const access = isRedfish
      ? { uri: text('host'), username: text('user'), password: text('password') }
      : { host: text('host'), user: text('user'), password: text('password') };
    problem.value = undefined;
    try {
      const body = { service: service.value, config: hasHost ? access : {} };
      await client.put('/nodes/:identifier/obm', { params: { identifier: id }, body });
      form.reset();
      reload();
    } catch (error) {
      problem.value = error;
    }
  };
  return (
    <details>
      <summary>Set up access to the BMC</summary>
      <form onSubmit={(event) => void submit(event)}>
        <Field label="Service">
          <select
            value={service.value}
            onChange={({ currentTarget }) => {
              service.value = currentTarget.value as (typeof services)[number];
            }}
          >
            {services.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        {hasHost && (
          <>
            <Field label={isRedfish ? 'Address of the Redfish service, such as https://10.1.1.2/redfish' : 'Host'}>
              <input name="host" required autoComplete="off" spellcheck={false} />
            </Field>
            <Field label="User of the BMC">
              <input name="user" autoComplete="off" spellcheck={false} />
            </Field>
            <Field label="Password of the BMC">
              <input name="password" type="password" autoComplete="new-password" />
            </Field>
          </>
        )}
        <button type="submit" class="main">
          Set
        </button>
        <Problem error={problem.value} />
      </form>
    </details>
  );
}
