/** The examples of a graph as texts of the fields of its form. */
import { type JsonObject, listIn, objectIn } from '../../engine/vocabulary/json.ts';
import type { TaskOptions } from './launch-options.ts';
import { labelFields, type OptionField, type OptionSchemas, optionFields, textOfValue } from './option-fields.ts';

export interface EnteredExample {
  entries: readonly { field: OptionField; text: string }[];
  /** Options for which the form has no field. */
  others: TaskOptions;
}

type PlannedTasks = Parameters<typeof optionFields>[0];

/** @param definition of the graph, as the daemon answers it */
export const examplesIn = (definition: unknown): TaskOptions[] =>
  listIn(objectIn(definition).examples).map((example) =>
    Object.fromEntries(Object.entries(objectIn(example)).map(([label, values]) => [label, objectIn(values)])),
  );

/**
 * An option that several tasks share is entered for all of them if it is required, or if the example has the same value for all;
 * otherwise for the single task.
 */
export function enteredExample(tasks: PlannedTasks, schemas: OptionSchemas, example: TaskOptions): EnteredExample {
  const shared = optionFields(tasks, schemas);
  const single = labelFields(tasks, schemas);
  const fieldOf = (label: string, key: string, value: unknown): OptionField | undefined => {
    const text = JSON.stringify(value);
    const isForAll = ({ labels }: OptionField) => labels.every((one) => JSON.stringify(example[one]?.[key]) === text);
    const takes = (field: OptionField) =>
      label === 'defaults' || (field.labels.includes(label) && (field.isRequired || isForAll(field)));
    return (
      shared.find((field) => field.key === key && takes(field)) ?? single.get(label)?.find((one) => one.key === key)
    );
  };
  const entries: { field: OptionField; text: string }[] = [];
  const others: Record<string, JsonObject> = {};
  for (const [label, values] of Object.entries(example)) {
    for (const [key, value] of Object.entries(values)) {
      const field = fieldOf(label, key, value);
      if (field === undefined) others[label] = { ...others[label], [key]: value };
      else entries.push({ field, text: textOfValue(field.schema, value) });
    }
  }
  return { entries, others };
}
