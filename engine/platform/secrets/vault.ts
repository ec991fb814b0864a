/**
 * The vault: encrypts secrets, so that they may be stored and passed on, and decrypts them where they are used. The
 * format of an encrypted value is defined in `vocabulary/encrypted-values.ts`.
 *
 * 1. Texts and numbers are encrypted individually, so the structure around them stays.
 * 2. `{{ }}` in a text is not encrypted: it is rendered before anything is decrypted.
 * 3. The caller receives all decrypted secrets and must scrub them from results. Exceptions are values next to a secret,
 *    such as the user name in a credential: they are encrypted, but ordinary words in a response are not scrubbed.
 */
import type { Hiding } from '../../vocabulary/conceal.ts';
import {
  hasEncrypted,
  holdsEncrypted,
  mapTexts,
  piecesOf,
  REDACTED,
  tokenOf,
} from '../../vocabulary/encrypted-values.ts';
import { isLimited, type LimitedValue, type Limits } from '../../vocabulary/env-limits.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isCredential, isSecret } from '../../vocabulary/secret-names.ts';
import type { KeyRing } from './key-ring.ts';
import { type Cipher, cipherOf } from './secrets.ts';

/** A secret and its encrypted value. */
export interface Secret {
  text: string;
  token: string;
}

interface HowToHide {
  entered?: boolean;
  stable?: boolean;
  encrypted?(secret: Secret): void;
}

export interface OpenedValue<T> {
  value: T;
  secrets: Secret[];
  /** The limits of those of `env` that have some (`vocabulary/env-limits.ts`); the caller checks them before it uses the value. */
  limits: Limits[];
}

/** The parts of a secret text that are not encrypted. A template ends before the next one, so that a search takes linear time. */
const plainParts = /(^(?:bearer|basic|token|digest) +|\{\{(?:(?!\{\{).)*?\}\}|nwsealed\.v1\.\d\.[A-Za-z0-9_-]+~)/gis;

/** Excludes words of a language and media types. */
const isRandomText = (text: string): boolean => /^\S{8,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);

export class Vault {
  readonly #encrypt: Cipher;
  readonly #stable: Cipher;

  /** @param keys shared by all daemons */
  constructor(keys: KeyRing) {
    this.#encrypt = cipherOf(keys, 'values');
    this.#stable = cipherOf(keys, 'values', true);
  }

  /**
   * Hides secrets by encrypting them.
   * @param entered for user input: rejects the value REDACTED, which is what the API shows for a secret
   * @param stable equal secrets give equal encrypted values, so readers of the store can see which are equal
   * @param encrypted receives each secret
   */
  hiding({ entered = false, stable = false, encrypted = () => {} }: HowToHide = {}): Hiding {
    const part = (text: string | number, isOrdinary: boolean): string => {
      const token = this.#token(text, isOrdinary, stable);
      if (!isOrdinary) encrypted({ text: String(text), token });
      return token;
    };
    const text = (whole: string, isOrdinary = false): string =>
      whole
        .split(plainParts)
        .map((piece, at) => (at % 2 === 1 || piece === '' ? piece : part(piece, isOrdinary)))
        .join('');
    const value = (secret: unknown, isOrdinary = false): unknown => {
      if (typeof secret === 'string') return text(secret, isOrdinary && !isRandomText(secret));
      if (typeof secret === 'number') return part(secret, isOrdinary);
      if (typeof secret !== 'object' || secret === null) return secret;
      if (Array.isArray(secret)) return secret.map((inner) => value(inner, isOrdinary));
      return Object.fromEntries(Object.entries(secret).map(([key, inner]) => [key, member(key, inner)]));
    };
    // Without its scheme: a server may return the credential alone.
    const member = (key: string, inner: unknown): unknown => {
      if (typeof inner !== 'string' || !isCredential(key, inner)) return value(inner, !isSecret(key, inner));
      const [, scheme = '', credential = ''] = /^([A-Za-z][\w-]* +(?=\S+$))?(.*)$/s.exec(inner) ?? [];
      return scheme + text(credential);
    };
    const wholeSecret = (secret: unknown): unknown => {
      if (entered && secret === REDACTED) throw asShown();
      return value(secret);
    };
    return { value: wholeSecret, part: (secret) => text(secret) };
  }

  /** An ordinary value is encrypted as a list of one, to tell it from a secret. */
  #token(value: string | number, isOrdinary: boolean, stable: boolean): string {
    const encrypted = (stable ? this.#stable : this.#encrypt).encrypt(isOrdinary ? [value] : value);
    return tokenOf(Buffer.from(encrypted, 'base64').toString('base64url'));
  }

  /**
   * Returns a decrypted copy; the same value if nothing in it is encrypted.
   * @param permits decides which values with limits are decrypted; the others are REDACTED
   * @throws NodewrightError SECRET_UNREADABLE
   */
  decrypt<T>(value: T, permits: (limits: Limits) => boolean = () => true): OpenedValue<T> {
    const result = { secrets: [] as Secret[], limits: [] as Limits[] };
    if (!holdsEncrypted(value)) return { value, ...result };
    return {
      value: mapTexts(value, (text) => (hasEncrypted(text) ? this.#openValue(text, result, permits) : text)),
      ...result,
    };
  }

  /** Encrypts the values of `env` that have limits. */
  limitEnv(env: Record<string, unknown>): Record<string, unknown> {
    const sealLimited = (value: LimitedValue) =>
      tokenOf(Buffer.from(this.#encrypt.encrypt(value), 'base64').toString('base64url'));
    return Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, isLimited(value) ? sealLimited(value) : value]),
    );
  }

  #openValue(
    text: string,
    { secrets, limits }: Pick<OpenedValue<unknown>, 'secrets' | 'limits'>,
    permits: (limits: Limits) => boolean,
  ): unknown {
    const pieces = piecesOf(text);
    const values = pieces.map(({ encrypted, token }) => {
      const value = this.#value(encrypted);
      if (Array.isArray(value)) return value[0];
      if (isLimited(value)) {
        if (!permits(value)) return REDACTED;
        secrets.push({ text: String(value.value), token });
        limits.push(value);
        return value.value;
      }
      secrets.push({ text: String(value), token });
      return value;
    });
    if (pieces.length === 1 && pieces[0]?.token === text) return values[0];
    let end = 0;
    let cleartext = '';
    pieces.forEach(({ token, at, depth }, index) => {
      cleartext += text.slice(end, at) + quote(String(values[index]), depth);
      end = at + token.length;
    });
    const rest = text.slice(end);
    if (pieces.length === 0 || hasEncrypted(rest)) throw unreadableError('it was truncated or modified');
    return cleartext + rest;
  }

  #value(encrypted: string): unknown {
    try {
      return this.#encrypt.decrypt(Buffer.from(encrypted, 'base64url').toString('base64'));
    } catch {
      throw unreadableError('it was encrypted with another key, or modified');
    }
  }
}

/** Escapes a text for a JSON text at the given nesting depth. */
const quote = (text: string, depth: number): string =>
  depth === 0 ? text : quote(JSON.stringify(text).slice(1, -1), depth - 1);

const asShown = () =>
  new NodewrightError(
    'INVALID_OPTIONS',
    `found ${REDACTED} instead of a secret, which is how secrets are shown; give the secret itself, or leave it out`,
  );

const unreadableError = (why: string) =>
  new NodewrightError(
    'SECRET_UNREADABLE',
    `a secret of this workflow cannot be decrypted: ${why}; restore the secret "values" of the daemons (secrets/values in dataDir, or the collection secrets) from a backup, or launch the workflow again`,
  );
