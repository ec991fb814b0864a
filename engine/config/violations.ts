/** Describes the first violation in a configuration in one line, without secret values. */
import { Ajv, type ErrorObject } from 'ajv';
import { NodewrightError } from '../define/errors.ts';
import { type ConfigFile, configSchema, HOST } from './config-schema.ts';

/** Keys whose values never appear in a message. */
const SECRET = /^(mongodb|redis|amqp|authTokenSecret|env)\b/;

const validate = new Ajv({ verbose: true }).compile(configSchema);

export const rejectConfig = (source: string, what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `${source}: ${what}`);
};

export function check(source: string, content: unknown): ConfigFile {
  if (validate(content)) return content as ConfigFile;
  const [violation] = validate.errors ?? [];
  return rejectConfig(source, violation ? violationLine(violation) : 'is not a valid configuration');
}

/** Returns one line for one violation: `httpEndpoints.0.port is "x", expected integer`. */
function violationLine({ instancePath, keyword, params, data, parentSchema }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const where = path === '' ? 'the configuration' : path;
  if (keyword === 'additionalProperties') {
    const key = [path, params.additionalProperty].filter(Boolean).join('.');
    return `${key} is not a known key; correct or remove it`;
  }
  if (keyword === 'required') return `${where} has no ${params.missingProperty}; add it`;
  return `${where} is ${shown(where, data)}, expected ${expectation(keyword, params, parentSchema)}`;
}

const shown = (path: string, value: unknown): string => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (SECRET.test(path)) return `a ${typeof value} that is not shown`;
  return JSON.stringify(value).slice(0, 100);
};

interface Ranged {
  maximum: number;
  not: { exclusiveMaximum: number };
}

/** Describes the values of a number that is 0 or has a minimum. */
export const shownRange = ({ maximum, not }: Ranged): string => `0 (off), or ${not.exclusiveMaximum} to ${maximum}`;

function expectation(keyword: string, params: Record<string, unknown>, schema: ErrorObject['parentSchema']): string {
  switch (keyword) {
    case 'not':
      return shownRange(schema as Ranged);
    case 'type':
      return String(params.type);
    case 'enum':
      return `one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'pattern':
      if (params.pattern === '^/') return 'an absolute path';
      return params.pattern === HOST ? 'a host name or an address' : `a URL that matches ${params.pattern}`;
    case 'minimum':
    case 'maximum':
      return `${params.comparison} ${params.limit}`;
    case 'minLength':
      return `at least ${params.limit} characters`;
    case 'maxLength':
      return `at most ${params.limit} characters`;
    case 'minItems':
      return `at least ${params.limit} of them`;
    default:
      return `something else (${keyword})`;
  }
}
