/** Buttons, fields, and messages, each in its states. */
import { useSignal } from '@preact/signals';
import { RequestError } from '../../data/request-error.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';

const rejection = new RequestError(400, {
  message: 'The body is invalid',
  code: 'INVALID',
  errors: [{ path: 'options.erase.disks', message: 'is missing' }],
  requestId: '0b0b1cc3',
});

const nothing = async (): Promise<void> => {};
const reject = async (): Promise<void> => {
  throw rejection;
};

export function ControlParts() {
  const typed = useSignal('');
  return (
    <>
      <div class="actions">
        <ActionButton run={nothing}>Action</ActionButton>
        <ActionButton kind="main" run={nothing}>
          Main action
        </ActionButton>
        <ActionButton kind="danger" run={nothing}>
          Dangerous action
        </ActionButton>
        <ActionButton run={nothing} reason="The workflow has ended.">
          Disabled, with its reason
        </ActionButton>
        <ActionButton run={reject}>Rejected action</ActionButton>
        <button type="button" aria-pressed={true}>
          Pressed
        </button>
        <button type="button" class="plain">
          Plain
        </button>
        <a class="button" href="/ui/parts">
          Link as a button
        </a>
        <DialogButton text="Dialog…" title="A dialog">
          {(close) => (
            <Form action="Send" submit={reject} cancel={close}>
              <ConfirmName name="r01s01" typed={typed} hint="This graph destroys data." />
            </Form>
          )}
        </DialogButton>
        <CopyableText text="0b0b1cc3-7d4c-4f0e-9d5e-0a4f4f6b2c11" />
      </div>
      <div class="filters">
        <Field label="Field" hint="Its hint">
          <input defaultValue="a text" />
        </Field>
        <Field label="Empty field">
          <input placeholder="an example" />
        </Field>
        <Field label="Disabled field">
          <input disabled={true} value="fixed" />
        </Field>
        <Field label="Choice">
          <select>
            <option>one</option>
            <option>other</option>
          </select>
        </Field>
      </div>
      <p>
        <label>
          <input type="checkbox" checked={true} /> Checked
        </label>
      </p>
      <p class="callout">A callout: what to know about the page.</p>
      <Problem error={rejection} />
    </>
  );
}
