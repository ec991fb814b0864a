/** A dialog above the page: the focus begins in its first field. Escape closes it, and the focus returns to where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    focusFirst(dialog.current);
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog ref={dialog} tabIndex={-1} aria-labelledby={id} onClose={close}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

const FORM_FIELDS = 'input:enabled:not([type=hidden]), select:enabled, textarea:enabled';

/** Without a field, no button has the focus: a key that was meant for the page must press none. */
function focusFirst(dialog: HTMLDialogElement | null): void {
  const first = [...(dialog?.querySelectorAll<HTMLElement>(FORM_FIELDS) ?? [])].find((field) =>
    field.checkVisibility(),
  );
  (first ?? dialog)?.focus();
}
