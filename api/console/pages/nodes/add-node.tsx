/** A button that creates a node, and leads to its page. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { nodeTypes } from '../../../../engine/define/node.ts';
import { client } from '../../data/daemon-client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';

export function AddNode() {
  const { route } = useLocation();
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  const create = async (form: FormData) => {
    const type = nodeTypes.find((name) => name === form.get('type')) ?? 'compute';
    const identifiers = fieldText(form, 'identifiers')?.split(/[\s,]+/) ?? [];
    const { body } = await client.post('/nodes', { body: { type, name: String(form.get('name')), identifiers } });
    route(`/ui/nodes/${body.id}`);
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Add a node
      </button>
      {isOpen.value && (
        <Dialog title="Add a node" close={close}>
          <Form action="Add" submit={create} cancel={close}>
            <Field label="Name">
              <input name="name" required />
            </Field>
            <Field label="Type">
              <select name="type">
                {nodeTypes.map((type) => (
                  <option key={type}>{type}</option>
                ))}
              </select>
            </Field>
            <Field label="Identifiers" hint="MAC addresses and the like, separated by spaces">
              <input name="identifiers" />
            </Field>
          </Form>
        </Dialog>
      )}
    </>
  );
}
