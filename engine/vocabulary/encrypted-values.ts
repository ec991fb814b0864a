/**
 * Encrypted values: the text form of a secret wherever it is stored. Only the vault (`engine/platform/secrets/vault.ts`) encrypts and
 * decrypts; all other code passes the values on as texts, also inside longer texts.
 *
 * `nwsealed.v1.<depth>.<base64url>~` has only characters that URLs, shells, JSON and XML leave unchanged. The depth is
 * the number of times that the value was nested in a JSON text: on decryption there, the secret is quoted as many
 * times.
 */
import { pointerPart } from './json-pointer.ts';

export const REDACTED = 'REDACTED';
const TOKEN_PREFIX = 'nwsealed.';
const VERSION = 'v1';

const whole = /nwsealed\.v1\.(\d)\.([A-Za-z0-9_-]+)~/g;
/** Also matches a truncated value. */
const trace = /nwsealed\.[A-Za-z0-9._-]*~?/g;

/** @param encrypted the ciphertext in base64url */
export const tokenOf = (encrypted: string): string => `${TOKEN_PREFIX}${VERSION}.0.${encrypted}~`;

export const hasEncrypted = (text: string): boolean => text.includes(TOKEN_PREFIX);

/** Replaces encrypted values with `REDACTED`. */
export const hideEncrypted = (text: string): string => (hasEncrypted(text) ? text.replace(trace, REDACTED) : text);

/**
 * For external texts, which never hold encrypted values: breaks anything that looks like one, so it is never decrypted.
 */
export const spoilEncrypted = (text: string): string =>
  hasEncrypted(text) ? text.replaceAll(TOKEN_PREFIX, 'nwsealed_') : text;

export interface Piece {
  token: string;
  /** The ciphertext. */
  encrypted: string;
  depth: number;
}

/** Returns the encrypted values in a text, in order, with their offsets. */
export const piecesOf = (text: string): (Piece & { at: number })[] =>
  [...text.matchAll(whole)].map(({ 0: token, 1: depth, 2: encrypted = '', index }) => ({
    token,
    encrypted,
    depth: Number(depth),
    at: index,
  }));

/** For a JSON text that becomes part of another text: increments the depth of its encrypted values. */
export const withDepth = (json: string): string =>
  hasEncrypted(json)
    ? json.replace(whole, (_, depth, encrypted) => `${TOKEN_PREFIX}${VERSION}.${Number(depth) + 1}.${encrypted}~`)
    : json;

/** Whether any text in the value, keys excluded, holds an encrypted value. */
export function holdsEncrypted(value: unknown): boolean {
  if (typeof value === 'string') return hasEncrypted(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsEncrypted);
}

/** Returns JSON pointers to the texts that hold encrypted values. */
export function encryptedPaths(value: unknown, at = ''): string[] {
  if (typeof value === 'string') return hasEncrypted(value) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => encryptedPaths(inner, `${at}/${pointerPart(key)}`));
}

/** Returns a copy with `change` applied to its texts; the same value if nothing changed. Keys stay. */
export function mapTexts<T>(value: T, change: (text: string) => unknown): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, inner]) => {
    const next = mapTexts(inner, change);
    isChanged ||= next !== inner;
    return [key, next] as const;
  });
  if (!isChanged) return value;
  return (Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)) as T;
}
