/**
 * Encrypted values: the text form of a secret wherever it is stored. Only the vault (`engine/vault.ts`) encrypts and
 * decrypts; all other code passes the values on as texts, also inside longer texts.
 *
 * `nwsealed.v1.<depth>.<base64url>~` has only characters that URLs, shells, JSON and XML leave unchanged. The depth is
 * the number of times that the value was nested in a JSON text: on decryption there, the secret is quoted as many
 * times.
 */

export const REDACTED = 'REDACTED';
const PREFIX = 'nwsealed.';
const VERSION = 'v1';

const whole = /nwsealed\.v1\.(\d)\.([A-Za-z0-9_-]+)~/g;
/** Also matches a truncated value. */
const trace = /nwsealed\.[A-Za-z0-9._-]*~?/g;

/** @param sealed the ciphertext in base64url */
export const tokenOf = (sealed: string): string => `${PREFIX}${VERSION}.0.${sealed}~`;

export const hasSealed = (text: string): boolean => text.includes(PREFIX);

/** Replaces encrypted values with `REDACTED`. */
export const hideSealed = (text: string): string => (hasSealed(text) ? text.replace(trace, REDACTED) : text);

/**
 * For external texts, which never hold encrypted values: breaks anything that looks like one, so it is never decrypted.
 */
export const spoilSealed = (text: string): string => (hasSealed(text) ? text.replaceAll(PREFIX, 'nwsealed_') : text);

export interface Piece {
  token: string;
  /** The ciphertext. */
  sealed: string;
  depth: number;
}

/** Returns the encrypted values in a text, in order, with their offsets. */
export const piecesOf = (text: string): (Piece & { at: number })[] =>
  [...text.matchAll(whole)].map(({ 0: token, 1: depth, 2: sealed = '', index }) => ({
    ...{ token, sealed, depth: Number(depth), at: index },
  }));

/** For a JSON text that becomes part of another text: increments the depth of its encrypted values. */
export const deeper = (json: string): string =>
  hasSealed(json)
    ? json.replace(whole, (_, depth, sealed) => `${PREFIX}${VERSION}.${Number(depth) + 1}.${sealed}~`)
    : json;

/** Whether any text in the value, keys excluded, holds an encrypted value. */
export function holdsSealed(value: unknown): boolean {
  if (typeof value === 'string') return hasSealed(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (holdsSealed((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** Returns JSON pointers to the texts that hold encrypted values. */
export function sealedPaths(value: unknown, at = ''): string[] {
  if (typeof value === 'string') return hasSealed(value) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    sealedPaths(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
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
