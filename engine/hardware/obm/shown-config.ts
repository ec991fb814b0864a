/**
 * Redacts the config of an obm. Each service declares the keys that are not secret, with schemas of their values
 * (`obm-settings.ts`); all others are hidden, including new keys until they are declared.
 */

import { validator } from '../../platform/validation/validator.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { plainKeys } from './obm-settings.ts';

type Config = Record<string, unknown>;

function isShown(service: string, key: string, value: unknown): boolean {
  const schema = ownValue(ownValue(plainKeys, service) ?? {}, key);
  return schema !== undefined && validator.accepts(schema, value);
}

const ownValue = <T>(values: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

export const shownConfig = (service: string, config: Config): Config =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, isShown(service, key, value) ? withoutUser(value) : REDACTED]),
  );

/** Reduces a URL to its origin and path. */
function withoutUser(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('://')) return value;
  if (!URL.canParse(value)) return REDACTED;
  const { origin, pathname, username, password, search, hash } = new URL(value);
  return username + password + search + hash === '' ? value : `${origin}${pathname}`;
}

/** Returns the strings of a config that are not shown. */
export function configSecrets(service: string, config: Config): string[] {
  const hidden = Object.entries(config).filter(([key, value]) => !isShown(service, key, value));
  return [...hidden.flatMap(([, value]) => textsIn(value)), ...usersIn(config)];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const usersIn = ({ uri }: Config): string[] =>
  typeof uri === 'string' && URL.canParse(uri) ? [new URL(uri).password].filter((password) => password !== '') : [];
