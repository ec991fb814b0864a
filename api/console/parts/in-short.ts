/** Texts of nodes may have any length; of a longer one the start is shown. */

const MAX_LENGTH = 200;

export const inShort = (text: string, most = MAX_LENGTH): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** `a, b, c and 4 more`. */
export function listInShort(texts: readonly string[], most = 20): string {
  const named = inShort(texts.slice(0, most).join(', '));
  return texts.length > most ? `${named} and ${texts.length - most} more` : named;
}
