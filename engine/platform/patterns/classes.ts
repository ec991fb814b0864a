/** Character classes: sets of code points, written in RE2's syntax. */

export type CharacterRange = readonly [from: number, to: number];

export interface CharClass {
  ranges: readonly CharacterRange[];
  /** In RE2's syntax, such as `\p{Lu}`. */
  properties: readonly string[];
}

const LAST = 0x10ffff;

export const digits: readonly CharacterRange[] = [[0x30, 0x39]];
export const wordChars: readonly CharacterRange[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** WhiteSpace and LineTerminator of ECMA-262. */
export const spaces: readonly CharacterRange[] = [
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
  ] as const),
  ...([
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
];
export const lineEnds: readonly CharacterRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

const LETTERS: readonly CharacterRange[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
/** The difference between the cases of a letter. */
const CASE_BIT = 0x20;

/** Returns the ranges sorted, with overlapping and adjacent ones merged. */
function mergeRanges(ranges: readonly CharacterRange[]): CharacterRange[] {
  const all: CharacterRange[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1] + 1) all[all.length - 1] = [last[0], Math.max(last[1], to)];
    else all.push([from, to]);
  }
  return all;
}

export function complement(ranges: readonly CharacterRange[]): CharacterRange[] {
  const all: CharacterRange[] = [];
  let from = 0;
  for (const [start, end] of mergeRanges(ranges)) {
    if (start > from) all.push([from, start - 1]);
    from = end + 1;
  }
  if (from <= LAST) all.push([from, LAST]);
  return all;
}

/** Adds the other case of each ASCII letter. */
export function withOtherCase(ranges: readonly CharacterRange[]): CharacterRange[] {
  const others = ranges.flatMap(([from, to]) =>
    LETTERS.flatMap(([first, last]): CharacterRange[] => {
      const [a, b] = [Math.max(from, first), Math.min(to, last)];
      return a <= b ? [[a ^ CASE_BIT, b ^ CASE_BIT]] : [];
    }),
  );
  return [...ranges, ...others];
}

const hexEscape = (codePoint: number): string => `\\x{${codePoint.toString(16)}}`;
const rangeText = ([from, to]: CharacterRange): string =>
  from === to ? hexEscape(from) : `${hexEscape(from)}-${hexEscape(to)}`;

export function classText({ ranges, properties }: CharClass, negated: boolean): string {
  if (properties.length > 0) {
    return `[${negated ? '^' : ''}${mergeRanges(ranges).map(rangeText).join('')}${properties.join('')}]`;
  }
  const all = negated ? complement(ranges) : mergeRanges(ranges);
  // RE2 has no empty class.
  return all.length === 0 ? `[^${rangeText([0, LAST])}]` : `[${all.map(rangeText).join('')}]`;
}
