/** Deletes a SKU, after its name was typed. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';

interface RemoveSkuProps {
  id: string;
  name: string;
  /** Of nodes. */
  count: number;
}

export function RemoveSku({ id, name, count }: RemoveSkuProps) {
  const { route } = useLocation();
  const isOpen = useSignal(false);
  const typed = useSignal('');
  const remove = async () => {
    await client.remove('/skus/:id', { params: { id } });
    route('/ui/skus');
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Delete…
      </button>
      {isOpen.value && (
        <Dialog
          title={`Delete the SKU ${name}`}
          close={() => {
            isOpen.value = false;
          }}
        >
          <p>
            {count} {count === 1 ? 'node gets' : 'nodes get'} another SKU, or none. Its pack is deleted too.
          </p>
          <Field label={`Type ${name} to confirm`}>
            <input
              autoComplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => {
                typed.value = currentTarget.value.trim();
              }}
            />
          </Field>
          <ActionButton kind="danger" run={remove} disabled={typed.value !== name.trim()}>
            Delete
          </ActionButton>
        </Dialog>
      )}
    </>
  );
}
