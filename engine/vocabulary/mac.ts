/**
 * MAC addresses. People and tools write them in many ways: `00-50-56-AA-BB-CC`, `0050.56aa.bbcc`, `005056AABBCC`. They
 * are stored, compared and returned in one form: `00:50:56:aa:bb:cc`.
 */

/** For JSON Schema: 6 bytes, 8, or up to the 20 of InfiniBand. */
export const MAC_PATTERN =
  '^(?:[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5,19}|[0-9A-Fa-f]{4}(?:\\.[0-9A-Fa-f]{4}){2,9}|(?:[0-9A-Fa-f]{2}){6,20})$';

const MAC = new RegExp(MAC_PATTERN);
const BETWEEN = /[:.-]/g;

/** @returns undefined if the text is not a MAC */
export function macOf(text: string): string | undefined {
  if (!MAC.test(text)) return undefined;
  return text.replace(BETWEEN, '').toLowerCase().match(/../g)?.join(':');
}

/** Normalizes a node identifier: a MAC to its one form. Plain digits may be a serial number and stay unchanged. */
export const identifierOf = (text: string): string => (/[:.-]/.test(text) ? (macOf(text) ?? text) : text);

/** Returns all forms under which an identifier may be stored. */
export function namesOf(text: string): string[] {
  const mac = macOf(text);
  if (mac === undefined) return [text];
  const digits = mac.replace(BETWEEN, '');
  return [...new Set([text, mac, digits, digits.toUpperCase()])];
}
