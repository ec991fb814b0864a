/** The page of the configuration, from its schema and defaults, and the page of each key. */
import { argumentList } from '../../engine/platform/config/arguments.ts';
import { changeableConfig, configSchema, endpointSchema } from '../../engine/platform/config/config-schema.ts';
import { defaults } from '../../engine/platform/config/defaults.ts';
import { ENV_FILE, secretVariables } from '../../engine/platform/config/environment.ts';
import { isZeroOrRange, zeroOrRange } from '../../engine/platform/validation/violation-of.ts';
import type { Entry } from './entry.ts';
import { bullets, code, fenced, pageOf } from './markdown.ts';
import { accepted, propertyLines, type Schema } from './schema.ts';

const keys = Object.entries(configSchema.properties) as [string, Schema][];

export function configurationPage(): string {
  return pageOf(
    'Configuration',
    'A JSON file named by the environment variable `NODEWRIGHT_CONFIG`, else `config.json` in the working directory. Every key is optional. An error in the file prevents the start, with one line and exit code 2; the line names the key, the value found and the value expected. Relative paths start at the working directory.',
    '`PATCH /api/current/config` changes the keys marked "at run time" in all daemons, until they stop.',
    '## Keys',
    ...keys.flatMap(([key, schema]) => sectionOf(key, schema)),
    '## Environment variables',
    bullets([
      '`NODEWRIGHT_CONFIG`: path of the file.',
      ...Object.entries(secretVariables).map(
        ([key, name]) => `${code(name)}, or ${code(`${name}_FILE`)}: overrides ${code(key)}.`,
      ),
      `${code(ENV_FILE)}: its values, a JSON object, are added to ${code('env')}, and override those of the same name.`,
    ]),
    '`_FILE`: path of a file that contains the value, which supervisors and other users then cannot see. White space at its ends is removed. It may have 64 KiB, and should be readable by the user of the daemon only: otherwise the start logs a warning. A value together with a file, and a file that is empty or cannot be read, prevent the start. In `NODEWRIGHT_AUTH_TOKEN_SECRET` white space separates several keys.',
    '## Arguments',
    bullets(
      Object.entries(argumentList).map(
        ([name, { value, description }]) => `${code(`--${name} ${value}`)}: ${description}`,
      ),
    ),
  );
}

export const configurationEntries = (): Entry[] =>
  keys.map(([key, schema]) => ({
    name: key,
    parts: [
      ['Meaning', schema.description ?? ''],
      ['Values', ...valuesOf(key, schema)],
      ['How to change it', ...waysOf(key)],
    ],
    declared: 'engine/platform/config/config-schema.ts',
    sought: new RegExp(`\\bconfig\\.${key}\\b|\\{[^{}]*\\b${key}\\b[^{}]*\\} = [\\w.#]*config\\b`),
  }));

function waysOf(key: string): string[] {
  const variable = (secretVariables as Readonly<Record<string, string>>)[key];
  return [
    'In the file of the configuration, before a start.',
    ...(variable === undefined ? [] : [`By ${code(variable)}, or the file that ${code(`${variable}_FILE`)} names.`]),
    ...(isChangeable(key) ? ['At run time, in all daemons until they stop: `PATCH /api/current/config`.'] : []),
  ];
}

const isChangeable = (key: string): boolean => key in changeableConfig.properties;

const sectionOf = (key: string, schema: Schema): string[] => [
  `### ${key}`,
  `${schema.description ?? ''}${isChangeable(key) ? ' (at run time)' : ''}`,
  ...valuesOf(key, schema),
];

function valuesOf(key: string, schema: Schema): string[] {
  const standard = (defaults as Record<string, unknown>)[key];
  const isEndpoints = key === 'httpEndpoints';
  return [
    ...(schema.properties === undefined
      ? [bullets([`Accepts: ${acceptedBy(schema)}.`, ...(isEndpoints ? [] : [`Default: ${shownDefault(standard)}.`])])]
      : [bullets(nested(schema, standard))]),
    ...(isEndpoints ? ['Of an endpoint:', bullets(nested(endpointSchema, {})), ...shownEndpoints(standard)] : []),
  ];
}

const acceptedBy = (schema: Schema): string => (isZeroOrRange(schema) ? zeroOrRange(schema) : accepted(schema));

const shownDefault = (standard: unknown): string => (standard === undefined ? 'none' : code(JSON.stringify(standard)));

const nested = (schema: object, standard: unknown): string[] =>
  propertyLines(schema as Schema, (standard ?? {}) as Record<string, unknown>);

const shownEndpoints = (standard: unknown): string[] => [
  'The default:',
  fenced('json', JSON.stringify({ httpEndpoints: standard }, null, 2)),
];
