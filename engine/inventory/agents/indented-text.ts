/**
 * Parses lines `Key: Value` as dmidecode and ipmitool print them. Lines with deeper indentation belong to the line
 * before: if they have values of their own they become an object, otherwise a list, as on a level too deep for a catalog.
 */
import { NESTING_LIMIT } from '../../vocabulary/json.ts';
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
export const indentedObject = (lines: readonly string[], separator: string, fallback: string) =>
  objectOf(lines.filter((line) => line.trim() !== '').map(read), separator, fallback, 0);

function objectOf(all: readonly Line[], separator: string, fallback: string, level: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let at = 0; at < all.length; ) {
    const { depth, text } = all[at] as Line;
    let end = at + 1;
    while (end < all.length && (all[end] as Line).depth > depth) end += 1;
    const [key, value] = split(text, separator, fallback) ?? [text, ''];
    add(fields, key, hangingValue(value, all.slice(at + 1, end), separator, fallback, level));
    at = end;
  }
  return fields;
}

/** ipmitool continues the previous value in lines that begin with the separator. */
function hangingValue(
  value: string,
  below: readonly Line[],
  separator: string,
  fallback: string,
  level: number,
): unknown {
  if (below.length === 0) return value;
  const canNest = value === '' && level < NESTING_LIMIT;
  if (canNest && below.every(({ text }) => split(text, separator, fallback) !== undefined))
    return objectOf(below, separator, fallback, level + 1);
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
