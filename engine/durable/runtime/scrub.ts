/**
 * Removes secrets from results of operations: outputs, errors, output of agents.
 *
 * 1. Known secrets, wherever they occur: literally, and in their encodings (base64, also as part of a longer text, URLs,
 *    JSON, XML). In an output they are replaced by the encrypted value, so that a later task may use them; in messages
 *    and keys by `REDACTED`.
 * 2. Values whose names indicate a secret, and parts of texts that look like one, are encrypted even if they are
 *    unknown.
 * 3. External text that looks like an encrypted value is made invalid.
 * 4. Secrets shorter than `SHORTEST` characters stay: they would match in ordinary words.
 */

import type { Secret, Vault } from '../../platform/secrets/vault.ts';
import { conceal, redactText } from '../../vocabulary/conceal.ts';
import { hasEncrypted, REDACTED, spoilEncrypted } from '../../vocabulary/encrypted-values.ts';
import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';

const SHORTEST = 4;
/** Minimum length inside a longer base64 text; shorter forms would match anywhere. */
const SHORTEST_INNER = 8;
const SHORTEST_LINE = 16;
/** Maximum encrypted values in one output: each is longer than the secret. */
const ENCRYPTED_LIMIT = 2_000;

const suspicious =
  /nwsealed\.|:\/\/[^/?#\s"]*@|bearer|basic |pass|pwd|pw\b|secret|token|credential|key|cookie|authori|kerberos|\bkg\b|communit|psk|\bcred|jwt|otp\b|\bpin\b|session.?id/i;

/** Quick check: a JSON text without a match holds no secret. */
export const isSuspicious = (json: string): boolean => suspicious.test(json);

export class Scrubber {
  readonly #vault: Vault;
  /** By form: its replacement in an output. */
  readonly #forms = new Map<string, string>();
  #found: RegExp | undefined;

  constructor(vault: Vault, secrets: readonly Secret[] = []) {
    this.#vault = vault;
    for (const secret of secrets) this.#add(secret);
  }

  /** Adds a secret that is used during the run, such as a session token. */
  note = (text: string): void => {
    if (text.length < SHORTEST || this.#forms.has(text)) return;
    this.#add({ text, token: this.#vault.hiding().part(text) });
  };

  noteAll(secrets: readonly Secret[]): void {
    for (const secret of secrets) this.#add(secret);
  }

  #add({ text, token }: Secret): void {
    if (text.length < SHORTEST || this.#forms.has(text)) return;
    this.#forms.set(text, token);
    for (const form of formsOf(text)) if (!this.#forms.has(form)) this.#forms.set(form, '');
    this.#found = undefined;
  }

  /** Longest form first, because the base64 of a text begins with that of its prefix. */
  get #pattern(): RegExp | undefined {
    if (this.#found === undefined && this.#forms.size > 0) {
      const forms = [...this.#forms.keys()].sort((a, b) => b.length - a.length);
      this.#found = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
    }
    return this.#found;
  }

  /** @param value plain JSON @param json the same as text, if available */
  output<T>(value: T, json: string | undefined = JSON.stringify(value)): T {
    const isClean = this.#forms.size === 0 && !isSuspicious(json ?? '');
    if (isClean) return value;
    let left = ENCRYPTED_LIMIT;
    const { value: encrypt, part } = this.#vault.hiding({
      encrypted: () => {
        left -= 1;
      },
    });
    const limited = {
      value: (secret: unknown) => (left > 0 ? encrypt(secret) : secret && REDACTED),
      part: (secret: string) => (left > 0 ? part(secret) : REDACTED),
    };
    return conceal([], this.#concealKnown(value, limited.part), limited) as T;
  }

  /** Replaces known secrets and breaks forged encrypted values. @param part encrypts */
  #concealKnown(value: unknown, part: (secret: string) => string): unknown {
    return this.#mapValues(
      value,
      (text) => this.#replaceSecrets(spoilEncrypted(text), (form) => this.#forms.get(form) || part(form)),
      (number) => this.#forms.get(String(number)) || number,
    );
  }

  /** Returns a copy with its texts and numbers changed, and known secrets redacted in its keys. */
  #mapValues(value: unknown, text: (value: string) => string, number: (value: number) => unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#mapValues(inner, text, number));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.#plain(key), this.#mapValues(inner, text, number)]),
    );
  }

  #replaceSecrets(text: string, place: (form: string) => string): string {
    const pattern = this.#pattern;
    return pattern === undefined ? text : text.replace(pattern, place);
  }

  #plain = (text: string): string => this.#replaceSecrets(spoilEncrypted(text), () => REDACTED);

  /** Redacts a message. */
  text = (text: string): string => redactText(this.#plain(text));

  error(error: FlatError): FlatError {
    const { name, message, code } = error;
    return { ...error, name: this.#plain(name), message: this.text(message), code: this.#plain(code) };
  }

  /** Returns a rejection without secrets: a task or a template may quote what it was given. Other errors are unchanged. */
  rejection(error: unknown): unknown {
    if (!(error instanceof NodewrightError)) return error;
    const violations = error.violations?.map(({ path, message }) => ({ path, message: this.text(message) }));
    return new NodewrightError(error.code, this.text(error.message), {
      ...(violations && { violations }),
      cause: error.cause,
    });
  }

  /** For data that is never decrypted again, such as a catalog: only redacts known secrets. */
  redactValue<T>(value: T): T {
    if (this.#forms.size === 0 && !hasEncrypted(JSON.stringify(value) ?? '')) return value;
    const number = (value: number) => (this.#forms.has(String(value)) ? REDACTED : value);
    return this.#mapValues(value, this.#plain, number) as T;
  }
}

const xml: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns other encodings of a secret. */
function formsOf(text: string): string[] {
  const lines = text.includes('\n') ? text.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE) : [];
  const written = [
    JSON.stringify(text).slice(1, -1),
    inUrl(text),
    new URLSearchParams({ '': text }).toString().slice(1),
    text.replace(/[&<>"']/g, (char) => xml[char] ?? char),
    ...decodedForms(text),
    ...inBase64(text),
    ...lines,
  ];
  return written.filter((form) => form !== text && form.length >= SHORTEST);
}

/** Half of a surrogate pair has no URL encoding. */
function inUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodedForms(text: string): string[] {
  try {
    return text.includes('%') ? [decodeURIComponent(text)] : [];
  } catch {
    return [];
  }
}

/**
 * Base64 encodes groups of three bytes: a text has three alignments, and its first and last characters depend on
 * neighbours.
 */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  const inner = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const isWhole = (before + bytes.length) % 3 === 0;
    return encoded.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
  });
  const all = [bytes.toString('base64'), ...inner.filter((form) => form.length >= SHORTEST_INNER)];
  return [...new Set(all.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))];
}
