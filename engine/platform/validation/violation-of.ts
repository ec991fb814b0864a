/** The translation of Ajv's errors to violations. A value is never part of one, because it may be a secret. */
import type { ErrorObject } from 'ajv';
import type { Violation } from '../../vocabulary/errors.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { dottedPath, pathOfKey } from '../../vocabulary/json-pointer.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';

/** The longest list of accepted values; a user-supplied schema may have any number. */
const LIST_LIMIT = 1_000;

const KEY_LIMIT = 80;

/** Fields that a client may see but not set, such as an id, are not in the schema of its input. */
const UNKNOWN = 'is unknown or cannot be set; leave it out';

/** @param unknown the message for a key that the schema does not have */
export function violationOf(error: ErrorObject, unknown?: string): Violation {
  const { instancePath, keyword, params, parentSchema, message = 'is not valid' } = error;
  const path = dottedPath(instancePath);
  switch (keyword) {
    case 'additionalProperties':
      return { path: pathOfKey(path, params.additionalProperty), message: unknownKey(error, unknown) };
    case 'required':
      return { path: pathOfKey(path, params.missingProperty), message: 'is missing' };
    case 'enum':
      return { path, message: `must be one of ${listOf(params.allowedValues)}` };
    case 'not':
      return { path, message: isZeroOrRange(parentSchema) ? `must be ${zeroOrRange(parentSchema)}` : message };
    case 'format':
      return { path, message: `must be ${formatWords[params.format] ?? `of the format ${params.format}`}` };
    case 'anyOf':
    case 'oneOf':
      return { path, message: 'must have one of these forms' };
    default:
      return { path, message: limitText(keyword, params.limit) ?? message };
  }
}

const formatWords: Readonly<Record<string, string>> = {
  'date-time': 'a time, such as 2026-11-30T22:00:00Z',
  date: 'a date, such as 2026-11-30',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

const limitedUnits: Readonly<Record<string, string>> = { Items: 'item', Length: 'character', Properties: 'key' };

/** @returns undefined: the keyword limits no number of parts */
function limitText(keyword: string, limit: number): string | undefined {
  const [, end = '', unit = ''] = /^(min|max)(\w+)$/.exec(keyword) ?? [];
  const word = limitedUnits[unit];
  return word && `must have at ${end === 'min' ? 'least' : 'most'} ${limit} ${word}${limit === 1 ? '' : 's'}`;
}

/** @param said of a definition, whose messages are read without their paths */
function unknownKey({ params, parentSchema }: ErrorObject, said: string | undefined): string {
  if (said === undefined) return UNKNOWN;
  const key = String(params.additionalProperty);
  return `'${key.slice(0, KEY_LIMIT)}' ${said}${didYouMean(key, Object.keys(objectIn(parentSchema?.properties)))}`;
}

const listOf = (values: readonly unknown[]): string =>
  values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
    .slice(0, LIST_LIMIT);

/** The schema of a number that is 0 or has a minimum. */
export interface ZeroOrRange {
  maximum: number;
  not: { exclusiveMinimum: 0; exclusiveMaximum: number };
}

export const isZeroOrRange = (schema: unknown): schema is ZeroOrRange => {
  const { maximum, not } = Object(schema) as Partial<ZeroOrRange>;
  return typeof maximum === 'number' && not?.exclusiveMinimum === 0 && typeof not.exclusiveMaximum === 'number';
};

export const zeroOrRange = ({ maximum, not }: ZeroOrRange): string =>
  `0 (off), or ${not.exclusiveMaximum} to ${maximum}`;
