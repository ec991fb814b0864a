/**
 * Redacts the config of an obm. Each service declares the keys that are not secret, with schemas of their values
 * (`obm-settings.ts`); all others are hidden, including new keys until they are declared.
 */
import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { REDACTED } from '../define/encrypted.ts';
import type { ObmService } from '../define/node.ts';
import { plainKeys } from './obm-settings.ts';

type Config = Record<string, unknown>;

const ajv = new Ajv();
const checks = new WeakMap<TSchema, (value: unknown) => boolean>();

function accepts(schema: TSchema, value: unknown): boolean {
  const check = checks.get(schema) ?? (ajv.compile(schema) as (value: unknown) => boolean);
  checks.set(schema, check);
  return check(value);
}

const keysOf = (service: string): Record<string, TSchema> =>
  Object.hasOwn(plainKeys, service) ? plainKeys[service as ObmService] : {};

const isShown = (service: string, key: string, value: unknown): boolean => {
  const keys = keysOf(service);
  return Object.hasOwn(keys, key) && accepts(keys[key] as TSchema, value);
};

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
