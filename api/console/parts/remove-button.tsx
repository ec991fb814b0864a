/** A button that deletes something, after a question. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ActionButton } from './action-button.tsx';
import { Dialog } from './dialog.tsx';

interface RemoveButtonProps {
  /** The thing, as in `hook https://...`. */
  what: string;
  run: () => Promise<unknown>;
  /** The consequence. */
  children?: ComponentChildren;
}

export function RemoveButton({ what, run, children }: RemoveButtonProps) {
  const isAsking = useSignal(false);
  const close = () => {
    isAsking.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={`Delete ${what}`}
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Delete
      </button>
      {isAsking.value && (
        <Dialog title={`Delete ${what}?`} close={close}>
          {children}
          <div class="actions">
            <ActionButton kind="danger" run={() => run().then(close)}>
              Delete
            </ActionButton>
            <button type="button" onClick={close}>
              Keep
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
