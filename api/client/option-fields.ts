/**
 * The fields of a form for the options of a graph, by the schemas of its tasks.
 *
 * 1. Tasks that have an option of one name and one schema share a field, which sets it for all tasks. Where the schemas
 *    differ, each task has its own field.
 * 2. Every option of every task can be set for that task alone as well.
 * 3. Required options without a value come first.
 */
import { isObject, type JsonObject, listIn, objectIn, property } from '../../engine/vocabulary/json.ts';
import { byKey } from './by-key.ts';
import type { ShownPlan } from './shown-plan.ts';

export interface OptionField {
  /** `defaults`, or the label of the only task that gets it. */
  target: string;
  key: string;
  /** The tasks that get it. */
  labels: readonly string[];
  schema: JsonObject;
  isRequired: boolean;
  /** The value that the graph has without the field; undefined: none, or several. */
  standard: unknown;
}

/** By the names of tasks; a task without a schema has no fields. */
export type OptionSchemas = ReadonlyMap<string, JsonObject>;

type PlannedTasks = Pick<ShownPlan['tasks'][number], 'label' | 'taskName' | 'options'>[];

export function optionFields(tasks: PlannedTasks, schemas: OptionSchemas): OptionField[] {
  const fields = [...labelFields(tasks, schemas).values()].flat();
  const shared = [...byKey(fields, ({ key }) => key).values()].flatMap((fields) => {
    const [first] = fields;
    const isOne = fields.every(({ schema }) => JSON.stringify(schema) === JSON.stringify(first?.schema));
    return first === undefined || !isOne ? fields : [together(first, fields)];
  });
  return shared.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function together(first: OptionField, fields: readonly OptionField[]): OptionField {
  const isSame = fields.every(({ standard }) => JSON.stringify(standard) === JSON.stringify(first.standard));
  return {
    ...first,
    target: 'defaults',
    labels: fields.flatMap(({ labels }) => labels),
    isRequired: fields.some(({ isRequired }) => isRequired),
    standard: isSame ? first.standard : undefined,
  };
}

/** The fields of each task for itself. */
export function labelFields(tasks: PlannedTasks, schemas: OptionSchemas): Map<string, OptionField[]> {
  const fields = tasks.map(({ label, taskName, options }): [string, OptionField[]] => {
    const schema = schemas.get(taskName);
    const required = listIn(property(schema, 'required'));
    const keys = Object.entries(objectIn(property(schema, 'properties')));
    return [
      label,
      keys.map(([key, keySchema]) => {
        const standard = property(options, key);
        const isRequired = required.includes(key) && standard === undefined;
        return { target: label, key, labels: [label], schema: objectIn(keySchema), isRequired, standard };
      }),
    ];
  });
  return new Map(fields);
}

export type Control =
  | { kind: 'choice'; choices: readonly (string | number | boolean)[] }
  | { kind: 'number' }
  | { kind: 'text' }
  /** A text a line. */
  | { kind: 'lines' }
  | { kind: 'json' };

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

export function controlOf(schema: JsonObject): Control {
  const { type, items } = schema;
  const choices = listIn(schema.enum);
  if (choices.length > 0 && choices.every(isPlain)) return { kind: 'choice', choices };
  if (type === 'boolean') return { kind: 'choice', choices: [true, false] };
  if (type === 'integer' || type === 'number') return { kind: 'number' };
  if (type === 'string') return { kind: 'text' };
  if (type === 'array' && property(items, 'type') === 'string') return { kind: 'lines' };
  return { kind: 'json' };
}

const EXAMPLE = 500;

/**
 * The text that a field shows until one is entered: the graph's value, else one that the schema has as a default or an
 * example; of JSON its shape.
 */
export function exampleOf({ standard, schema }: OptionField): string {
  const [example] = listIn(schema.examples);
  const given = [standard, schema.default, example].find((one) => one !== undefined);
  const value = given === undefined && controlOf(schema).kind === 'json' ? shapeOf(schema, 0) : given;
  if (value === undefined) return '';
  const text = textOfValue(schema, value);
  return text.length > EXAMPLE ? `${text.slice(0, EXAMPLE)}…` : text;
}

/** The text whose `enteredValue` is the value. */
export function textOfValue(schema: JsonObject, value: unknown): string {
  if (typeof value === 'string') return value;
  const isLines = controlOf(schema).kind === 'lines' && Array.isArray(value);
  return isLines ? value.join('\n') : JSON.stringify(value);
}

const DEEPEST = 5;

/** A value with the parts that a schema names. */
function shapeOf(schema: unknown, depth: number): unknown {
  const [choice] = listIn(property(schema, 'enum'));
  const [other] = listIn(property(schema, 'anyOf')).slice(-1);
  if (choice !== undefined || depth === DEEPEST) return choice ?? '…';
  if (other !== undefined) return shapeOf(other, depth + 1);
  const type = property(schema, 'type');
  if (type === 'array') return [shapeOf(property(schema, 'items'), depth + 1)];
  if (type === 'string') return '…';
  if (type === 'integer' || type === 'number') return property(schema, 'minimum') ?? 0;
  if (type === 'boolean') return false;
  const parts = Object.entries(objectIn(property(schema, 'properties')));
  return Object.fromEntries(parts.map(([key, part]) => [key, shapeOf(part, depth + 1)]));
}

/**
 * The value of a text that was entered. A number, or a list, may also be a template, whose value the daemon knows.
 * @throws SyntaxError
 */
export function enteredValue(schema: JsonObject, text: string): unknown {
  const control = controlOf(schema);
  if (control.kind === 'choice') return control.choices.find((choice) => String(choice) === text) ?? text;
  if (control.kind === 'text' || isTemplate(text)) return text;
  if (control.kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (control.kind === 'lines')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  return JSON.parse(text);
}

const isTemplate = (text: string): boolean => /^\s*(?:\{\{|<%)/.test(text);

interface Rejection {
  path: string;
  message: string;
}

/** Those of a field, or of a part of its value. */
export const rejectionsOf = <T extends Rejection>({ labels, key }: OptionField, rejections: readonly T[]): T[] =>
  rejections.filter(({ path }) => labels.some((label) => isWithin(path, `options.${label}.${key}`)));

const isWithin = (path: string, whole: string): boolean =>
  path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`) || path.startsWith(`${whole}/`);

/** Options as they are typed. @throws Error with the sentence for the user */
export function optionsOfText(text: string): Record<string, JsonObject> {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !Object.values(value).every(isObject))
    throw new TypeError('expected an object of objects, by task label or "defaults"');
  return value as Record<string, JsonObject>;
}
