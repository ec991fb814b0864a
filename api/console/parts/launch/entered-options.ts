/** The options of a launch as they are entered: in fields, and as JSON. */
import { type TaskOption, type TaskOptions, taskOptionsOf } from '../../../client/launch-options.ts';
import { enteredValue, type OptionField, optionsOfText } from '../../../client/option-fields.ts';

/** Texts as entered, by target and key. */
export type OptionTexts = ReadonlyMap<string, string>;

export const textKey = ({ target, key }: Pick<OptionField, 'target' | 'key'>): string => JSON.stringify([target, key]);

/** A text that cannot be read leaves no option; an empty one means the graph's own value. */
export function withOption(
  given: ReadonlyMap<string, TaskOption>,
  field: OptionField,
  text: string,
): ReadonlyMap<string, TaskOption> {
  const next = new Map(given);
  const { target: label, key, schema } = field;
  next.delete(textKey(field));
  try {
    if (text !== '') next.set(textKey(field), { label, key, value: enteredValue(schema, text) });
  } catch {
    // The field says so.
  }
  return next;
}

/** Whether the text of a field is an option by now, or none. */
export const isTaken = (key: string, texts: OptionTexts, given: ReadonlyMap<string, unknown>): boolean =>
  texts.get(key) === '' || given.has(key);

/** @returns undefined: the text is no options */
export function enteredOptions(given: readonly TaskOption[], more: string): TaskOptions | undefined {
  try {
    const typed = more.trim() === '' ? {} : optionsOfText(more);
    const before = Object.entries(typed).flatMap(([label, values]) =>
      Object.entries(values).map(([key, value]) => ({ label, key, value })),
    );
    return taskOptionsOf([...before, ...given]);
  } catch {
    return undefined;
  }
}

/** Whether a launch usually sets it: it is required, or the author's examples set it and the graph does not. */
export const isUsual = (
  { key, labels, isRequired, standard }: OptionField,
  examples: readonly TaskOptions[],
): boolean =>
  isRequired ||
  (standard === undefined &&
    examples.some((example) => ['defaults', ...labels].some((label) => Object.hasOwn(example[label] ?? {}, key))));
