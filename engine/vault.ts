/**
 * The vault: seals secrets, so that they may be kept and passed on, and opens them where they are used. What a sealed value
 * looks like is in `define/sealed.ts`.
 *
 * 1. Texts and numbers are sealed one by one, so the shape of what holds them stays.
 * 2. `{{ }}` in a text stays as it is: it is rendered before anything is opened.
 * 3. Whatever is opened is told to the caller, who has to scrub it from what comes back. Not so values that only lie beside
 *    a secret, such as the user name in a credential: they are sealed, but as ordinary words in an answer they stay.
 */
import type { Hiding } from './define/conceal.ts';
import { NodewrightError } from './define/errors.ts';
import { hasSealed, holdsSealed, mapTexts, piecesOf, REDACTED, tokenOf } from './define/sealed.ts';
import { isTelling } from './define/telling.ts';
import { type Seal, sealOf } from './secrets.ts';

/** A secret, and the sealed value that has it. */
export interface Secret {
  text: string;
  token: string;
}

interface HowToHide {
  entered?: boolean;
  stable?: boolean;
  sealed?(secret: Secret): void;
}

export interface Opened<T> {
  value: T;
  secrets: Secret[];
}

/** What is kept as it is within a text that is sealed. */
const kept = /(^(?:bearer|basic|token|digest) +|\{\{.*?\}\}|nwsealed\.v1\.\d\.[A-Za-z0-9_-]+~)/gis;

/** No word of a language, no media type. */
const looksRandom = (text: string): boolean => /^\S{8,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);

export class Vault {
  readonly #seal: Seal;
  readonly #stable: Seal;

  /** @param secret the same for all daemons */
  constructor(secret: string) {
    this.#seal = sealOf(secret, 'values');
    this.#stable = sealOf(secret, 'values', true);
  }

  /**
   * Hides by sealing.
   * @param entered a user entered it: what was shown as REDACTED, and comes back as it is, is refused
   * @param stable the same secret gives the same sealed value each time: who reads the store then sees which are alike
   * @param sealed is told each secret
   */
  hiding({ entered = false, stable = false, sealed = () => {} }: HowToHide = {}): Hiding {
    const part = (text: string | number, isOrdinary: boolean): string => {
      const token = this.#token(text, isOrdinary, stable);
      if (!isOrdinary) sealed({ text: String(text), token });
      return token;
    };
    const text = (whole: string, isOrdinary = false): string =>
      whole
        .split(kept)
        .map((piece, at) => (at % 2 === 1 || piece === '' ? piece : part(piece, isOrdinary)))
        .join('');
    const value = (secret: unknown, isOrdinary = false): unknown => {
      if (typeof secret === 'string') return text(secret, isOrdinary && !looksRandom(secret));
      if (typeof secret === 'number') return part(secret, isOrdinary);
      if (typeof secret !== 'object' || secret === null) return secret;
      if (Array.isArray(secret)) return secret.map((inner) => value(inner, isOrdinary));
      return Object.fromEntries(
        Object.entries(secret).map(([key, inner]) => [key, value(inner, !isTelling(key, inner))]),
      );
    };
    const whole = (secret: unknown): unknown => {
      if (entered && secret === REDACTED) throw asShown();
      return value(secret);
    };
    return { value: whole, part: (secret) => text(secret) };
  }

  /** An ordinary value is sealed as a list of one. */
  #token(value: string | number, isOrdinary: boolean, stable: boolean): string {
    const sealed = (stable ? this.#stable : this.#seal).seal(isOrdinary ? [value] : value);
    return tokenOf(Buffer.from(sealed, 'base64').toString('base64url'));
  }

  /** A copy with everything open; the same value when nothing in it is sealed. @throws NodewrightError SECRET_UNREADABLE */
  open<T>(value: T): Opened<T> {
    if (!holdsSealed(value)) return { value, secrets: [] };
    const secrets: Secret[] = [];
    return { value: mapTexts(value, (text) => (hasSealed(text) ? this.#opened(text, secrets) : text)), secrets };
  }

  #opened(text: string, secrets: Secret[]): unknown {
    const pieces = piecesOf(text);
    const values = pieces.map(({ sealed, token }) => {
      const value = this.#value(sealed);
      if (Array.isArray(value)) return value[0];
      secrets.push({ text: String(value), token });
      return value;
    });
    if (pieces.length === 1 && pieces[0]?.token === text) return values[0];
    let end = 0;
    let made = '';
    pieces.forEach(({ token, at, depth }, index) => {
      made += text.slice(end, at) + quoted(String(values[index]), depth);
      end = at + token.length;
    });
    const rest = text.slice(end);
    if (pieces.length === 0 || hasSealed(rest)) throw unreadable('it was cut off or changed');
    return made + rest;
  }

  #value(sealed: string): unknown {
    try {
      return this.#seal.open(Buffer.from(sealed, 'base64url').toString('base64'));
    } catch {
      throw unreadable('it was sealed with another key, or changed');
    }
  }
}

/** As it stands inside a JSON text that is inside a JSON text. */
const quoted = (text: string, depth: number): string =>
  depth === 0 ? text : quoted(JSON.stringify(text).slice(1, -1), depth - 1);

const asShown = () =>
  new NodewrightError(
    'INVALID_OPTIONS',
    `found ${REDACTED} in place of a secret: that is how secrets are shown; give the secret itself, or leave it out`,
  );

const unreadable = (why: string) =>
  new NodewrightError(
    'SECRET_UNREADABLE',
    `a secret of this workflow cannot be opened: ${why}; restore the secret "values" of the daemons (secrets/values in dataDir, or the collection secrets) from a backup, or launch the workflow again`,
  );
