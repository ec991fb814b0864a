/** A labelled choice of one word. Its element keeps what the user has chosen. */
import { Field } from './field.tsx';

interface ChoiceFieldProps {
  label: string;
  hint?: string;
  name: string;
  /** Chosen at first. */
  initial: string;
  /** Values and their texts. */
  choices: readonly (readonly [value: string, text: string])[];
  /** The value '' is none; by default it may be sent. */
  isRequired?: true;
}

export const ChoiceField = ({ label, hint, name, initial, choices, isRequired }: ChoiceFieldProps) => (
  <Field label={label} hint={hint}>
    <select name={name} required={isRequired ?? choices.every(([value]) => value !== '')}>
      {choices.map(([value, text]) => (
        <option key={value} value={value} selected={value === initial}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);
