/** Asks the reader to type a name before something that cannot be undone. */
import type { Signal } from '@preact/signals';
import { Field } from './field.tsx';
import { inShort } from './in-short.ts';

interface ConfirmNameProps {
  name: string;
  typed: Signal<string>;
  /** Instead of the name in the label. */
  words?: string;
  hint?: string | undefined;
}

export function ConfirmName({ name, typed, words = inShort(name), hint }: ConfirmNameProps) {
  return (
    <Field label={`Type ${words} to confirm`} hint={hint}>
      <input
        value={typed.value}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
      />
    </Field>
  );
}

/** Spaces around a name are not seen. */
export const isTyped = (typed: Signal<string>, name: string): boolean => typed.value.trim() === name.trim();

/** @param words instead of the name */
export const unconfirmedReason = (name: string, words = inShort(name)): string => `Type ${words} to confirm.`;
