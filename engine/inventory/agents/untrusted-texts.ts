/** Makes untrusted texts storable, and limits their length. */
import { isStorable } from '../../platform/store/columns.ts';

/** Returns the text without NUL and lone surrogates, which no store accepts. */
export const storableText = (text: string): string =>
  isStorable(text) ? text : Buffer.from(text).toString().replaceAll('\0', '');

/**
 * Cuts a text, and appends the number of missing bytes.
 * @param limit characters
 * @param bytes total length, if `text` is only the beginning
 */
export function cutText(text: string, limit: number, bytes = 0): string {
  const beginning = text.slice(0, limit);
  const missing = Math.max(Buffer.byteLength(text), bytes) - Buffer.byteLength(beginning);
  return missing > 0 ? `${storableText(beginning)}\n[cut: ${missing} bytes more]` : storableText(beginning);
}
