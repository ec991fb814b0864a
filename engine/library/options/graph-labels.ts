/** The labels of a graph with their tasks, and the options that a graph sets for them. */
import type { Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { type Graph, type Label, reservedLabels, type Task, type TaskLookup } from '../types.ts';
import { Rejection, rejectDefinition, shownJson } from './rejection.ts';
import { knows } from './schema.ts';
import { staticViolations } from './static-checks.ts';

/** Returns the message about the name of a task that does not exist. */
export const noTask = (name: string, lookup: TaskLookup): string =>
  `found '${name}', which is not a task of the library; expected the name of a task${didYouMean(name, lookup.names?.() ?? [])}`;

/** Returns the label of a task. @param input of its invoke @throws Rejection */
export function labelOf(label: string, task: Task, input: unknown, invoked: boolean): Label {
  const at = { place: label };
  if (reservedLabels.includes(label)) throw new Rejection(`label '${label}'`, 'a label that is not reserved', at);
  if (typeof input === 'function' || !invoked) return { label, task, overrides: {}, dynamic: true };
  if (input !== undefined && !isObject(input)) {
    throw new Rejection(`input ${shownJson(input)} of label '${label}'`, "an object with the task's options", at);
  }
  const overrides = input ?? {};
  const violations = staticViolations(task.schema, overrides).map((violation) => ({
    ...violation,
    path: `${label}.input.${violation.path}`,
  }));
  if (violations.length > 0) throw rejectDefinition(`label '${label}': input`, violations);
  return { label, task, overrides, dynamic: false };
}

/**
 * Checks a graph's own options: existing labels, valid values.
 * @param rejected labels of the graph whose tasks are not valid: their options cannot be checked
 * @throws Rejection
 */
export function checkOptions(
  options: Graph['options'],
  labels: ReadonlyMap<string, Label>,
  rejected: ReadonlySet<string> = new Set(),
): void {
  const violations = Object.entries(options).flatMap(([key, values = {}]): Violation[] => {
    const at = (violation: Violation) => ({ ...violation, path: `options.${key}.${violation.path}` });
    if (key === 'defaults') return [...labels.values()].flatMap(({ task }) => defaultsViolations(task, values)).map(at);
    if (rejected.has(key)) return [];
    const label = labels.get(key);
    if (label !== undefined) return staticViolations(label.task.schema, values).map(at);
    const expected = [...labels.keys(), ...rejected].slice(0, 20).join(', ');
    return [
      {
        path: `options.${key}`,
        message: `found no such label; expected defaults or one of ${expected}${didYouMean(key, labels.keys())}`,
      },
    ];
  });
  if (violations.length > 0) throw rejectDefinition('a graph', violations);
}

const defaultsViolations = (task: Task, values: JsonObject) =>
  staticViolations(task.schema, acceptedDefaults(task, values));

/** Returns those of the `defaults` that this task accepts. */
export const acceptedDefaults = (task: Task, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key === '_taskTimeout' || knows(task.schema, key)));
