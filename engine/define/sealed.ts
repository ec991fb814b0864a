/**
 * Sealed values: the text that a secret has wherever it is kept. Only the vault (`engine/vault.ts`) makes and opens them;
 * everything else passes them on as texts, also inside longer ones.
 *
 * `nwsealed.v1.<depth>.<base64url>~` has characters alone that URLs, shells, JSON and XML leave as they are. The depth counts
 * how often it became part of a JSON text: the secret is quoted as often when it is opened there.
 */

export const REDACTED = 'REDACTED';
const PREFIX = 'nwsealed.';
const VERSION = 'v1';

const whole = /nwsealed\.v1\.(\d)\.([A-Za-z0-9_-]+)~/g;
/** Also one that was cut off. */
const trace = /nwsealed\.[A-Za-z0-9._-]*~?/g;

/** @param sealed base64url */
export const tokenOf = (sealed: string): string => `${PREFIX}${VERSION}.0.${sealed}~`;

export const hasSealed = (text: string): boolean => text.includes(PREFIX);

/** As it is shown. */
export const hideSealed = (text: string): string => (hasSealed(text) ? text.replace(trace, REDACTED) : text);

/** Texts from outside hold none: what looks like one is spoiled, so that it is never opened. */
export const spoilSealed = (text: string): string => (hasSealed(text) ? text.replaceAll(PREFIX, 'nwsealed_') : text);

export interface Piece {
  token: string;
  /** What the vault opens. */
  sealed: string;
  depth: number;
}

/** The sealed values in a text, in order, with where they begin. */
export const piecesOf = (text: string): (Piece & { at: number })[] =>
  [...text.matchAll(whole)].map(({ 0: token, 1: depth, 2: sealed = '', index }) => ({
    ...{ token, sealed, depth: Number(depth), at: index },
  }));

/** For a text that holds JSON and becomes part of another text. */
export const deeper = (json: string): string =>
  hasSealed(json)
    ? json.replace(whole, (_, depth, sealed) => `${PREFIX}${VERSION}.${Number(depth) + 1}.${sealed}~`)
    : json;

/** Whether any text in it holds a sealed value, keys not included. */
export function holdsSealed(value: unknown): boolean {
  if (typeof value === 'string') return hasSealed(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (holdsSealed((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** JSON pointers to the texts that hold sealed values. */
export function sealedPaths(value: unknown, at = ''): string[] {
  if (typeof value === 'string') return hasSealed(value) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    sealedPaths(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** A copy whose texts went through `change`; the same value when nothing changed. Keys stay. */
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
