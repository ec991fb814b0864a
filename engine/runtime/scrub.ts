/**
 * Takes secrets out of what comes back from the world: outputs, errors, what agents print.
 *
 * 1. Known secrets, wherever they occur: as they are, and in the forms in which they travel (base64, also as the part of a
 *    longer text, URLs, JSON, XML). In an output the sealed value takes their place, so that a later task may use them; in
 *    messages and keys it is `REDACTED`.
 * 2. Values whose names tell, and parts of texts that give themselves away, are sealed though nobody knew them.
 * 3. What looks like a sealed value, and comes from outside, is spoiled.
 * 4. Secrets of less than `SHORTEST` characters stay: they would be found in every other word.
 */
import { conceal, redactText } from '../define/conceal.ts';
import type { FlatError } from '../define/errors.ts';
import { hasSealed, REDACTED, spoilSealed } from '../define/sealed.ts';
import type { Secret, Vault } from '../vault.ts';

const SHORTEST = 4;
/** Parts of a longer base64 text; shorter ones are found anywhere. */
const SHORTEST_INNER = 8;
const SHORTEST_LINE = 16;
/** Sealed values that one output gets: each is longer than what it hides. */
const SEALED_LIMIT = 2_000;

const suspicious =
  /nwsealed\.|:\/\/[^/?#\s"]*@|bearer|basic |pass|pwd|pw\b|secret|token|credential|key|cookie|authori|kerberos|\bkg\b|communit|psk|\bcred|jwt|otp\b|\bpin\b|session.?id/i;

/** Whether a closer look at a JSON text is worth its time. */
export const isSuspicious = (json: string): boolean => suspicious.test(json);

export class Scrubber {
  readonly #vault: Vault;
  /** By form: what takes its place in an output. */
  readonly #forms = new Map<string, string>();
  #found: RegExp | undefined;

  constructor(vault: Vault, secrets: readonly Secret[] = []) {
    this.#vault = vault;
    for (const secret of secrets) this.#add(secret);
  }

  /** A secret that was used meanwhile, such as the token of a session. */
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

  /** The longest first: the base64 of a text begins with that of its beginning. */
  get #pattern(): RegExp | undefined {
    if (this.#forms.size === 0) return undefined;
    const forms = [...this.#forms.keys()].sort((a, b) => b.length - a.length);
    this.#found ??= new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
    return this.#found;
  }

  /** @param value plain JSON @param json the same as a text, when there is one */
  output<T>(value: T, json: string | undefined = JSON.stringify(value)): T {
    const isClean = this.#forms.size === 0 && !isSuspicious(json ?? '');
    if (isClean) return value;
    let left = SEALED_LIMIT;
    const { value: seal, part } = this.#vault.hiding({
      sealed: () => {
        left -= 1;
      },
    });
    const limited = {
      value: (secret: unknown) => (left > 0 ? seal(secret) : secret && REDACTED),
      part: (secret: string) => (left > 0 ? part(secret) : REDACTED),
    };
    return conceal([], this.#known(value, limited.part), limited) as T;
  }

  /** Without secrets that are known, and spoiled. @param part seals */
  #known(value: unknown, part: (secret: string) => string): unknown {
    if (typeof value === 'string') {
      return this.#replaced(spoilSealed(value), (form) => this.#forms.get(form) || part(form));
    }
    if (typeof value === 'number') return this.#forms.get(String(value)) || value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#known(inner, part));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.#plain(key), this.#known(inner, part)]),
    );
  }

  #replaced(text: string, place: (form: string) => string): string {
    const pattern = this.#pattern;
    return pattern === undefined ? text : text.replace(pattern, place);
  }

  #plain = (text: string): string => this.#replaced(spoilSealed(text), () => REDACTED);

  /** A message. */
  text = (text: string): string => redactText(this.#plain(text));

  error(error: FlatError): FlatError {
    const { name, message, code } = error;
    return { ...error, name: this.#plain(name), message: this.text(message), code: this.#plain(code) };
  }

  /** What nobody opens again, such as a catalog: known secrets alone are taken out. */
  redacted<T>(value: T): T {
    if (this.#forms.size === 0 && !hasSealed(JSON.stringify(value) ?? '')) return value;
    return this.#hidden(value) as T;
  }

  #hidden(value: unknown): unknown {
    if (typeof value === 'string') return this.#plain(value);
    if (typeof value === 'number') return this.#forms.has(String(value)) ? REDACTED : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#hidden(inner));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.#plain(key), this.#hidden(inner)]));
  }
}

const xml: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** How a secret may be written elsewhere. */
function formsOf(text: string): string[] {
  const lines = text.includes('\n') ? text.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE) : [];
  const written = [
    JSON.stringify(text).slice(1, -1),
    inUrl(text),
    new URLSearchParams({ '': text }).toString().slice(1),
    text.replace(/[&<>"']/g, (char) => xml[char] as string),
    ...decoded(text),
    ...inBase64(text),
    ...lines,
  ];
  return written.filter((form) => form !== text && form.length >= SHORTEST);
}

/** Half a character has no form in a URL. */
function inUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function decoded(text: string): string[] {
  try {
    return text.includes('%') ? [decodeURIComponent(text)] : [];
  } catch {
    return [];
  }
}

/** Of three bytes each: so a text begins at one of three places, and its first and last characters depend on its neighbours. */
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
