/**
 * Secrets inside texts, on their way from one store to another. A store has each as an encrypted value, which only its own
 * keys can decrypt; a file has the same value readable, in the same place: `nwclear.v1.<depth>.<base64url of JSON>~`.
 */

import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import { type Cipher, cipherOf } from '../../platform/secrets/secrets.ts';
import {
  encryptedPaths,
  hasEncrypted,
  hideEncrypted,
  mapTexts,
  piecesOf,
  REDACTED,
} from '../../vocabulary/encrypted-values.ts';
import { invalidInput } from '../../vocabulary/errors.ts';
import { isObject } from '../../vocabulary/json.ts';
import { keyOfPart, pointerPart } from '../../vocabulary/json-pointer.ts';

const CLEAR = 'nwclear.';
const clear = /nwclear\.v1\.(\d)\.([A-Za-z0-9_-]+)~/g;

const transcode = (base64: string, to: 'base64' | 'base64url', from: 'base64' | 'base64url'): string =>
  Buffer.from(base64, from).toString(to);

export class Sealing {
  readonly #cipher: Cipher;

  /** @param keys `values` of the store. Equal secrets give equal values, as definitions need it. */
  constructor(keys: KeyRing) {
    this.#cipher = cipherOf(keys, 'values', true);
  }

  /** @throws if the store has another key */
  readableValue<T>(value: T): T {
    return mapTexts(value, (text) => {
      let result = text;
      for (const { token, encrypted, depth } of hasEncrypted(text) ? piecesOf(text) : []) {
        const value = JSON.stringify(this.#cipher.decrypt(transcode(encrypted, 'base64', 'base64url')));
        result = result.replace(token, `${CLEAR}v1.${depth}.${Buffer.from(value).toString('base64url')}~`);
      }
      return result;
    });
  }

  /** @throws NodewrightError INVALID */
  sealValue<T>(value: T): T {
    return mapTexts(value, (text) => {
      if (hasEncrypted(text)) throw invalidInput('', 'contains an encrypted value; expected the secret itself');
      if (!text.includes(CLEAR)) return text;
      const encryptedText = text.replace(clear, (_, depth, encoded) => {
        const encrypted = this.#cipher.encrypt(clearValue(encoded));
        return `nwsealed.v1.${depth}.${transcode(encrypted, 'base64url', 'base64')}~`;
      });
      if (encryptedText.includes(CLEAR))
        throw invalidInput('', 'contains a damaged secret; expected it as an export has it');
      return encryptedText;
    });
  }
}

function clearValue(encoded: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
    if (typeof only === 'string' || typeof only === 'number') return value;
  } catch {}
  throw invalidInput('', 'contains a damaged secret; expected it as an export has it');
}

/** A record without its secrets, and JSON pointers to the places that had them. */
export interface WithheldSecrets<T> {
  record: T;
  withheld: string[];
}

/** @param shownRecord the record with `REDACTED` for its secrets; encrypted values may still be there */
export function withhold<T extends object>(record: T, shownRecord: T): WithheldSecrets<T> {
  const hidden = mapTexts(shownRecord, hideEncrypted);
  const withheld = new Set([...encryptedPaths(shownRecord), ...differences(record, shownRecord)]);
  return { record: withoutRedacted(hidden) as T, withheld: [...withheld].sort() };
}

function differences(value: unknown, shownValue: unknown, at = ''): string[] {
  if (value === shownValue) return [];
  if (typeof value !== 'object' || value === null || typeof shownValue !== 'object' || shownValue === null) return [at];
  return Object.entries(value).flatMap(([key, inner]) =>
    differences(inner, Reflect.get(shownValue, key), `${at}/${pointerPart(key)}`),
  );
}

/** Lists keep their places. */
function withoutRedacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRedacted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== REDACTED);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutRedacted(inner)]));
}

/** Returns the record with the values that another one has at the pointers. */
export function supplyFields<T extends object>(record: T, pointers: readonly string[], from: object): T {
  const copy = structuredClone(record);
  for (const pointer of pointers) {
    const keys = pointer.slice(1).split('/').map(keyOfPart);
    const last = keys.pop() ?? '';
    const innerValue = (value: unknown, key: string) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    const [place, source] = [copy, from].map((root) => keys.reduce<unknown>(innerValue, root));
    const value = innerValue(source, last);
    if (value !== undefined && typeof place === 'object' && place !== null) Reflect.set(place, last, value);
  }
  return copy;
}
