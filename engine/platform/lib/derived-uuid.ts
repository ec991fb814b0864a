/** UUIDs that are derived from other values: the same words give the same id, in every process. */
import { createHash } from 'node:crypto';

/** Returns a UUID derived from the words. */
export function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
