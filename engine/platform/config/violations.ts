/** Describes the first violation in a configuration in one line, with the value found, unless it may be a secret. */
import type { ErrorObject } from 'ajv';
import { Type } from 'typebox';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isObject } from '../../vocabulary/json.ts';
import { dottedPath } from '../../vocabulary/json-pointer.ts';
import { validator } from '../validation/validator.ts';
import { violationOf } from '../validation/violation-of.ts';
import { ADDRESS_AND_PORT, type ConfigFile, configSchema, HOST } from './config-schema.ts';

/** Keys whose values never appear in a message. */
const SECRET = /^(mongodb|redis|amqp|authTokenSecret|env|oidc\.clientSecret)\b/;

export const rejectConfig = (source: string, what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `${source}: ${what}`);
};

export function check(source: string, content: unknown): ConfigFile {
  if (isValid(content)) return content;
  const errors = validator.errors(configSchema, content);
  // If a value may have one of several types, an error inside the value says more than the error that no type matches.
  const union = errors.find(({ keyword }) => keyword === 'anyOf');
  const inner = union && errors.find(({ instancePath }) => instancePath.startsWith(`${union.instancePath}/`));
  const error = inner ?? errors[0];
  return rejectConfig(source, error ? lineOf(error) : 'is not a valid configuration');
}

/** Compiles the schemas of the given keys only: those of all keys take 7 % of a start. */
function isValid(content: unknown): content is ConfigFile {
  if (!isObject(content)) return false;
  const given = Object.entries(configSchema.properties).filter(([key]) => Object.hasOwn(content, key));
  return validator.accepts(Type.Object(Object.fromEntries(given), { additionalProperties: false }), content);
}

/** Returns one line for one violation: `httpEndpoints.0.port is "x", expected integer`. */
function lineOf(error: ErrorObject): string {
  const { keyword, params, data } = error;
  const where = dottedPath(error.instancePath) || 'the configuration';
  const { path, message } = violationOf(error);
  if (keyword === 'additionalProperties') return `${path} is not a known key; correct or remove it`;
  if (keyword === 'required') return `${where} has no ${params.missingProperty}; add it`;
  return `${where} is ${shownValue(where, data)}, expected ${expectation(error) ?? message.replace(/^must be /, '')}`;
}

const shownValue = (path: string, value: unknown): string => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (SECRET.test(path)) return `a ${typeof value} that is not shown`;
  return JSON.stringify(value).slice(0, 100);
};

/** Returns the expectation in plainer words than those of Ajv, where it has others. */
function expectation({ keyword, params }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'pattern':
      if (params.pattern === '^/') return 'an absolute path';
      if (params.pattern === ADDRESS_AND_PORT) return 'an address and a port, such as 127.0.0.1:9090';
      return params.pattern === HOST ? 'a host name or an address' : `a URL that matches ${params.pattern}`;
    case 'minLength':
      return `at least ${params.limit} characters`;
    case 'maxLength':
      return `at most ${params.limit} characters`;
    case 'minItems':
      return `at least ${params.limit} of them`;
    default:
      return undefined;
  }
}
