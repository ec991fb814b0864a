/** A button that deletes something, after a question. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ActionButton } from './action-button.tsx';
import { ConfirmName, isTyped } from './confirm-name.tsx';
import { DialogButton } from './dialog-button.tsx';

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
  const typed = useSignal('');
  return (
    <DialogButton text="Delete" label={`Delete ${what}`} title={`Delete ${what}?`} kind="danger">
      {(close) => (
        <>
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
        </>
      )}
    </DialogButton>
  );
}
