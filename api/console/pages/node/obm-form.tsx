/** Sets the obm of a node for one service. The password can be written, and never read. */
import { useSignal } from '@preact/signals';
import { obmServices, pduModels } from '../../../../engine/define/node.ts';
import { client } from '../../data/daemon-client.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';

type Service = (typeof obmServices)[number];

export function ObmForm({ id, reload }: { id: string; reload: () => void }) {
  const service = useSignal<Service>('ipmi-obm-service');
  const problem = useSignal<unknown>(undefined);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name) ?? '');
    problem.value = undefined;
    try {
      const body = { service: service.value, config: configOf(service.value, text) };
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
              service.value = currentTarget.value as Service;
            }}
          >
            {obmServices.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        <Access service={service.value} />
        <button type="submit" class="main">
          Set
        </button>
        <Problem error={problem.value} />
      </form>
    </details>
  );
}

function configOf(service: Service, text: (name: string) => string) {
  const [host, user, password] = [text('host'), text('user'), text('password')];
  if (service === 'noop-obm-service') return {};
  if (service === 'redfish-obm-service') return { uri: host, username: user, password };
  if (service === 'ipmi-obm-service') return { host, user, password };
  const outlets = [{ host, outlet: text('outlet') }];
  if (service === 'redfish-pdu-obm-service') return { outlets, user, password };
  return { outlets, model: text('model'), community: password };
}

function Access({ service }: { service: Service }) {
  if (service === 'noop-obm-service') return null;
  if (service === 'pdu-obm-service') {
    return (
      <>
        <Text name="host" label="Address of the PDU" required />
        <Text name="outlet" label="Outlet" required />
        <ChoiceField
          label="Maker of the PDU"
          name="model"
          initial={pduModels[0]}
          choices={pduModels.map((one) => [one, one] as const)}
        />
        <Secret label="SNMP community that may write" />
        <p class="quiet">Several outlets, and version 3 of SNMP, are set by the command line.</p>
      </>
    );
  }
  if (service === 'redfish-pdu-obm-service') {
    return (
      <>
        <Text name="host" label="Address of the PDU" required />
        <Text name="outlet" label="Outlet" required />
        <Text name="user" label="User of the PDU" required />
        <Secret label="Password of the PDU" />
        <p class="quiet">Several outlets, and the authority of a certificate, are set by the command line.</p>
      </>
    );
  }
  const isRedfish = service === 'redfish-obm-service';
  return (
    <>
      <Text
        name="host"
        label={isRedfish ? 'Address of the Redfish service, such as https://10.1.1.2/redfish' : 'Host'}
        required
      />
      <Text name="user" label="User of the BMC" />
      <Secret label="Password of the BMC" />
    </>
  );
}

const Text = ({ name, label, required = false }: { name: string; label: string; required?: boolean }) => (
  <Field label={label}>
    <input name={name} required={required} autoComplete="off" spellcheck={false} />
  </Field>
);

const Secret = ({ label }: { label: string }) => (
  <Field label={label}>
    <input name="password" type="password" autoComplete="new-password" />
  </Field>
);
