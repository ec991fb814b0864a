/** Limits the length of untrusted texts. */
import { storableText } from '../../vocabulary/texts.ts';

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
