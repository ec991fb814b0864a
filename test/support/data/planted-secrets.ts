/** Secrets that a test plants, and searches for in all places where they must not be. */
import { randomBytes } from 'node:crypto';

export class Planted {
  readonly #forms = new Map<string, string>();

  /** Returns a secret of that kind; the same each time. */
  of(kind: string): string {
    const known = this.#secrets.get(kind);
    if (known !== undefined) return known;
    const secret = `pl${randomBytes(8).toString('hex')}nt`;
    this.add(kind, secret);
    return secret;
  }

  readonly #secrets = new Map<string, string>();

  add(kind: string, secret: string): void {
    this.#secrets.set(kind, secret);
    const base64 = Buffer.from(secret).toString('base64').replaceAll('=', '').slice(0, -2);
    const behind = Buffer.from(`:${secret}`).toString('base64').replaceAll('=', '').slice(4, -2);
    for (const form of [secret, base64, behind]) this.#forms.set(form, kind);
    const literals = [...this.#forms.keys()].map((form) => form.replace(/\W/g, '\\$&'));
    this.#anyForm = new RegExp(literals.join('|'));
  }

  /** Most texts have none, and one search takes a tenth of the time of a search for each form. */
  #anyForm = /(?!)/;

  get kinds(): string[] {
    return [...this.#secrets.keys()];
  }

  /** Returns the kinds of secrets found, with the text around the first. */
  in(found: string | Buffer): string[] {
    const text = typeof found === 'string' ? found : found.toString('latin1');
    if (!this.#anyForm.test(text)) return [];
    const hits = [...this.#forms].filter(([form]) => text.includes(form));
    return [...new Set(hits.map(([form, kind]) => `${kind}: ${around(text, text.indexOf(form))}`))];
  }
}

const around = (text: string, at: number): string => text.slice(Math.max(0, at - 80), at + 60);
