/** A button that deletes something, after a question. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ActionButton } from './action-button.tsx';
import { ConfirmName, isTyped } from './confirm-name.tsx';
import { Dialog } from './dialog.tsx';

interface RemoveButtonProps {
  /** The thing, as in `hook https://...`. */
  what: string;
  /** Must be typed before. */
  name?: string;
  run: () => Promise<unknown>;
  /** The consequence. */
  children?: ComponentChildren;
}

export function RemoveButton({ what, name, run, children }: RemoveButtonProps) {
  const isAsking = useSignal(false);
  const typed = useSignal('');
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
          {name !== undefined && <ConfirmName name={name} typed={typed} />}
          <div class="actions">
            <ActionButton
              kind="danger"
              disabled={name !== undefined && !isTyped(typed, name)}
              run={() => run().then(close)}
            >
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
