/** Texts from outside: what a store can keep of them, and no more than it should. */

const NUL = /\0/g;

/** Without NUL and without half characters: no store keeps those. */
export const storable = (text: string): string => Buffer.from(text).toString().replace(NUL, '');

/**
 * Cuts a text, with a mark that says how much is missing.
 * @param limit characters
 * @param bytes how long the whole was, where `text` is only its beginning
 */
export function cut(text: string, limit: number, bytes = 0): string {
  const kept = text.slice(0, limit);
  const missing = Math.max(Buffer.byteLength(text), bytes) - Buffer.byteLength(kept);
  return missing > 0 ? `${storable(kept)}\n[cut: ${missing} bytes more]` : storable(kept);
}
