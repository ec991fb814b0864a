/** A labelled field of a form. */
import type { ComponentChildren } from 'preact';

interface FieldProps {
  label: string;
  /** Below the field. */
  hint?: string | undefined;
  children: ComponentChildren;
}

export function Field({ label, hint, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label class="field">
      <span>{label}</span>
      {children}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}
