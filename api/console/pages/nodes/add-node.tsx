/** A button that creates a node, and leads to its page. */
import { useLocation } from 'preact-iso';
import { nodeTypes } from '../../../../engine/define/node.ts';
import { client } from '../../data/daemon-client.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';

export function AddNode() {
  const { route } = useLocation();
  const create = async (form: FormData) => {
    const type = nodeTypes.find((name) => name === form.get('type')) ?? 'compute';
    const identifiers = fieldText(form, 'identifiers')?.split(/[\s,]+/) ?? [];
    const { body } = await client.post('/nodes', { body: { type, name: String(form.get('name')), identifiers } });
    const [node] = [body].flat();
    route(`/ui/nodes/${node?.id}`);
  };
  return (
    <DialogButton text="Add a node" title="Add a node">
      {(close) => (
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
      )}
    </DialogButton>
  );
}
