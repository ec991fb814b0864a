/** A button that opens a dialog. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';

interface DialogButtonProps {
  /** Text of the button. */
  text: ComponentChildren;
  /** Accessible name of the button; absent: its text. */
  label?: string;
  /** Title of the dialog. */
  title: string;
  kind?: 'main' | 'danger' | undefined;
  disabled?: boolean;
  /** Why it is disabled; absent: it is not. */
  reason?: string | undefined;
  /** The content of the dialog. */
  children: (close: () => void) => ComponentChildren;
}

/** Closes a dialog whose change is made, and reads again what it has changed. */
export const closeAndReload = (close: () => void, reload: () => void) => () => {
  close();
  reload();
};

export function DialogButton({ text, label, title, kind, disabled = false, reason, children }: DialogButtonProps) {
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-label={label}
        title={reason}
        disabled={disabled || reason !== undefined}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {text}
      </button>
      {isOpen.value && (
        <Dialog title={title} close={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}
