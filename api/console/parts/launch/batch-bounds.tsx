/** The bounds of a launch on several nodes. */
import type { Signal } from '@preact/signals';
import { Field } from '../field.tsx';

/** '': none. */
export interface BoundTexts {
  concurrency: string;
  maxFailures: string;
}

export const BatchBounds = ({ texts }: { texts: Signal<BoundTexts> }) => {
  const field = (key: keyof BoundTexts, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <input
        type="number"
        min={1}
        max={10_000}
        onInput={({ currentTarget }) => {
          texts.value = { ...texts.value, [key]: currentTarget.value };
        }}
      />
    </Field>
  );
  return (
    <div class="bounds">
      {field('concurrency', 'Active at a time', 'Empty: all at the same time')}
      {field('maxFailures', 'Stop after failures', 'Empty: never')}
    </div>
  );
};

export const boundsIn = (texts: BoundTexts): { concurrency?: number; maxFailures?: number } =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => (text === '' ? [] : [[key, Number(text)] as const])),
  );
