/** The page of the configuration, from its schema and defaults. */
import { argumentList } from '../../engine/platform/config/arguments.ts';
import { changeableConfig, configSchema, endpointSchema } from '../../engine/platform/config/config-schema.ts';
import { defaults } from '../../engine/platform/config/defaults.ts';
import { ENV_FILE, secretVariables } from '../../engine/platform/config/environment.ts';
import { isZeroOrRange, zeroOrRange } from '../../engine/platform/validation/violation-of.ts';
import { bullets, code, fenced, pageOf } from './markdown.ts';
import { accepted, propertyLines, type Schema } from './schema.ts';

export function configurationPage(): string {
  const keys = Object.entries(configSchema.properties) as [string, Schema][];
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

function sectionOf(key: string, schema: Schema): string[] {
  const standard = (defaults as Record<string, unknown>)[key];
  const isEndpoints = key === 'httpEndpoints';
  const isChangeable = key in changeableConfig.properties;
  const about = `${schema.description ?? ''}${isChangeable ? ' (at run time)' : ''}`;
  return [
    `### ${key}`,
    about,
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
