/**
 * Parses lines `Key: Value` as dmidecode and ipmitool print them. Lines with deeper indentation belong to the line
 * before: if they have values of their own they become an object, otherwise a list.
 */
import { add } from './untrusted-keys.ts';

interface Line {
  depth: number;
  text: string;
}

const read = (line: string): Line => {
  const text = line.trimStart();
  return { depth: line.length - text.length, text: text.trimEnd() };
};

/**
 * @param separator between key and value; lines without it are split at `fallback`
 * @returns the values by key; several values of one key become a list
 */
export function indentedObject(lines: readonly string[], separator: string, fallback: string): Record<string, unknown> {
  const all = lines.filter((line) => line.trim() !== '').map(read);
  const fields: Record<string, unknown> = {};
  for (let at = 0; at < all.length; ) {
    const { depth, text } = all[at] as Line;
    let end = at + 1;
    while (end < all.length && (all[end] as Line).depth > depth) end += 1;
    const [key, value] = split(text, separator, fallback) ?? [text, ''];
    add(fields, key, hangingValue(value, all.slice(at + 1, end), separator, fallback));
    at = end;
  }
  return fields;
}

/** ipmitool continues the previous value in lines that begin with the separator. */
function hangingValue(value: string, below: readonly Line[], separator: string, fallback: string): unknown {
  if (below.length === 0) return value;
  const pairs = value === '' && below.every(({ text }) => split(text, separator, fallback) !== undefined);
  if (pairs) {
    const texts = below.map(({ depth, text }) => ' '.repeat(depth) + text);
    return indentedObject(texts, separator, fallback);
  }
  const rest = below.map(({ text }) => text.replace(/^: /, ''));
  return value === '' ? rest : [value, ...rest];
}

function split(text: string, separator: string, fallback: string): [string, string] | undefined {
  const at = text.indexOf(separator);
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + separator.length).trim()];
  const end = text.indexOf(fallback);
  if (end !== text.length - fallback.length || end < 1) return undefined;
  return [text.slice(0, end).trim(), ''];
}
