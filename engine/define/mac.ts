/**
 * MACs. People and tools write one in many ways: `00-50-56-AA-BB-CC`, `0050.56aa.bbcc`, `005056AABBCC`. It is kept, looked
 * for and answered in one: `00:50:56:aa:bb:cc`.
 */

/** As JSON Schema takes it: 6 bytes, 8, or as many as InfiniBand has, which are 20. */
export const MAC_PATTERN =
  '^(?:[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5,19}|[0-9A-Fa-f]{4}(?:\\.[0-9A-Fa-f]{4}){2,9}|(?:[0-9A-Fa-f]{2}){6,20})$';

const MAC = new RegExp(MAC_PATTERN);
const BETWEEN = /[:.-]/g;

/** @returns undefined when the text is no MAC */
export function macOf(text: string): string | undefined {
  if (!MAC.test(text)) return undefined;
  return text.replace(BETWEEN, '').toLowerCase().match(/../g)?.join(':');
}

/** A name of a node as it is kept: a MAC in its one form. Digits alone may be a serial number, and stay as they are. */
export const identifierOf = (text: string): string => (/[:.-]/.test(text) ? (macOf(text) ?? text) : text);

/** All the names under which a node that is asked for by this one may be kept. */
export function namesOf(text: string): string[] {
  const mac = macOf(text);
  if (mac === undefined) return [text];
  const digits = mac.replace(BETWEEN, '');
  return [...new Set([text, mac, digits, digits.toUpperCase()])];
}
