/** JSON Schemas in words: the values that an option accepts. */
import { code, json } from './markdown.ts';

export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[] | undefined;
  description?: string;
  default?: unknown;
  secret?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Returns a phrase such as ``integer, 0 to 17``. */
export function accepted(schema: Schema): string {
  if (schema.const !== undefined) return json(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map(json).join(', ')}`;
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(accepted))].join(', or ');
  const { type = 'any value', items, pattern } = schema;
  const bounds = [
    between(schema.minimum, schema.maximum, ''),
    sized(schema.minLength, schema.maxLength, ' characters'),
    sized(schema.minItems, schema.maxItems, ' items'),
    pattern === undefined ? undefined : `matching ${code(pattern)}`,
  ];
  const name = type === 'array' ? `list of ${items === undefined ? 'any values' : accepted(items)}` : type;
  return [name, ...bounds.filter((bound) => bound !== undefined)].join(', ');
}

function between(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `at least ${shown(least)}${unit}`;
  return least === undefined ? `at most ${shown(most)}${unit}` : `${shown(least)} to ${shown(most)}${unit}`;
}

const sized = (least: number | undefined, most: number | undefined, unit: string): string | undefined =>
  least === 1 && most === undefined ? 'not empty' : between(least, most, unit);

const shown = (number: number | undefined): string => (number ?? 0).toLocaleString('en');

/** Returns one line for each property, nested ones with their path. @param given default values */
export function propertyLines(schema: Schema, given: Record<string, unknown> = {}, path = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const isNested = property.type === 'object' && property.properties !== undefined;
    const inner = isNested ? propertyLines(property, undefined, at) : [];
    return [lineOf(at, property, { isRequired: isRequired(schema, name, given), value: given[name] }), ...inner];
  });
}

const isRequired = ({ required = [] }: Schema, name: string, given: Record<string, unknown>): boolean =>
  required.includes(name) && !(name in given);

function lineOf(name: string, schema: Schema, { isRequired, value }: { isRequired: boolean; value: unknown }): string {
  const standard = value ?? schema.default;
  const notes = [
    accepted(schema),
    ...(isRequired && standard === undefined ? ['required'] : []),
    ...(standard === undefined ? [] : [`default ${json(standard)}`]),
    ...(schema.secret === true ? ['secret'] : []),
  ];
  const about = schema.description === undefined ? '' : ` ${sentence(schema.description)}`;
  return `**${code(name)}** (${notes.join('; ')}).${about}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
