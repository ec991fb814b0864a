/**
 * Translates a JavaScript regular expression into RE2's syntax, which is matched in linear time, so that both match the
 * same texts.
 *
 * 1. Texts and patterns are read by code points, as with JavaScript's flag `u`.
 * 2. Look-around and back-references are rejected: they cannot be matched in linear time. The same applies to flags
 *    inside a group, octal escapes, and properties that RE2 does not have.
 * 3. Groups do not capture, and lazy quantifiers are greedy: neither changes whether a text matches.
 * 4. `size` counts characters, classes and branches with each repetition expanded: it limits the compiled program.
 */
import { RE2JS } from 're2js';
import {
  type CharacterRange,
  type CharClass,
  classText,
  complement,
  digits,
  lineEnds,
  spaces,
  withOtherCase,
  wordChars,
} from './classes.ts';

export interface TranslatedPattern {
  re2: string;
  size: number;
}

export interface Dialect {
  /** The flag `u`: enables `\u{..}` and `\p{..}`. */
  unicode: boolean;
  /** The flag `i`, for ASCII letters. */
  ignoreCase: boolean;
}

/** A valid pattern that is not supported. The message continues a sentence about the pattern. */
export class UnsupportedPattern extends Error {}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const PROPERTY = /\{(?:(?:gc|General_Category)=)?(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf|Co)\}/y;
const SCRIPT = /\{(?:sc|Script)=(\w+)\}/y;
const HEX2 = /[0-9A-Fa-f]{2}/y;
const HEX4 = /[0-9A-Fa-f]{4}/y;
const BRACED = /\{([0-9A-Fa-f]+)\}/y;
const SURROGATES = /([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y;
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const SETS: Readonly<Record<string, readonly CharacterRange[]>> = {
  d: digits,
  D: complement(digits),
  w: wordChars,
  W: complement(wordChars),
  s: spaces,
  S: complement(spaces),
};
/** Number of ranges that weigh as much as a character, and the weight of a property, which has hundreds. */
const RANGES_PER_UNIT = 16;
const PROPERTY_SIZE = 40;

/** RE2's limit of repetitions. */
const REPEAT_LIMIT = 1_000;

const EMPTY: TranslatedPattern = { re2: '(?:)', size: 1 };
const char = (codePoint: number): CharClass => ({ ranges: [[codePoint, codePoint]], properties: [] });
const isOne = ({ ranges: [range], properties }: CharClass): boolean =>
  properties.length === 0 && range !== undefined && range[0] === range[1];

/** @param text a valid JavaScript pattern of the dialect @throws UnsupportedPattern */
export function translate(text: string, dialect: Dialect): TranslatedPattern {
  return new Translation(text, dialect).all();
}

class Translation {
  readonly #text: string;
  readonly #dialect: Dialect;
  #at = 0;
  /** Number of groups around the current position. */
  #depth = 0;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#dialect = dialect;
  }

  all(): TranslatedPattern {
    const branches = [this.#sequence()];
    while (this.#take('|')) branches.push(this.#sequence());
    const size = branches.reduce((sum, branch) => sum + branch.size, branches.length - 1);
    return { re2: branches.map(({ re2 }) => re2).join('|'), size };
  }

  #sequence(): TranslatedPattern {
    const terms: TranslatedPattern[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text.charAt(this.#at))) terms.push(this.#term());
    if (terms.length === 0) return EMPTY;
    return { re2: terms.map(({ re2 }) => re2).join(''), size: terms.reduce((sum, { size }) => sum + size, 0) };
  }

  #term(): TranslatedPattern {
    if (this.#take('^')) return { re2: '\\A', size: 1 };
    if (this.#take('$')) return { re2: '\\z', size: 1 };
    if (this.#take('\\b')) return { re2: '\\b', size: 1 };
    if (this.#take('\\B')) return { re2: '\\B', size: 1 };
    return this.#repeatAtom(this.#atom());
  }

  #atom(): TranslatedPattern {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return this.#class();
    if (this.#take('.')) return this.#writeClass({ ranges: complement(lineEnds), properties: [] });
    return this.#writeClass(this.#take('\\') ? this.#escape() : char(this.#nextCodePoint()));
  }

  #group(): TranslatedPattern {
    if (this.#take('?') && !this.#take(':')) {
      if (this.#take('=')) return this.#lookAhead();
      if (this.#take('!')) throw new UnsupportedPattern('uses a look-ahead');
      if (this.#take('<=') || this.#take('<!')) throw new UnsupportedPattern('uses a look-behind');
      if (!this.#take('<')) throw new UnsupportedPattern('uses flags inside a group');
      this.#at = this.#text.indexOf('>', this.#at) + 1;
    }
    return this.#inside();
  }

  #inside(): TranslatedPattern {
    this.#depth += 1;
    const { re2, size } = this.all();
    this.#depth -= 1;
    this.#take(')');
    return { re2: `(?:${re2})`, size };
  }

  /** As a whole alternative it is a plain group, because patterns only say whether they match. */
  #lookAhead(): TranslatedPattern {
    const isFirst = this.#depth === 0 && /(?:^|\|)\^?\(\?=$/.test(this.#text.slice(0, this.#at));
    const group = this.#inside();
    if (isFirst && ['', '|'].includes(this.#text.charAt(this.#at))) return group;
    throw new UnsupportedPattern('uses a look-ahead');
  }

  #repeatAtom(atom: TranslatedPattern): TranslatedPattern {
    const quantifier = this.#match(QUANTIFIER);
    if (quantifier === undefined) return atom;
    const [, sign, least, comma, most = ''] = quantifier;
    const min = sign === undefined ? Number(least) : Number(sign === '+');
    const unbounded = sign === undefined ? comma !== undefined && most === '' : sign !== '?';
    const max = sign === '?' ? 1 : most === '' ? min : Number(most);
    if (Math.max(min, max) > REPEAT_LIMIT) throw new UnsupportedPattern(`repeats more than ${REPEAT_LIMIT} times`);
    const copies = unbounded ? min + 1 : max;
    const re2 = `(?:${atom.re2})${sign ?? `{${min}${unbounded ? ',' : `,${max}`}}`}`;
    return { re2, size: Math.max(1, copies * atom.size + copies - min) };
  }

  #class(): TranslatedPattern {
    const negated = this.#take('^');
    const ranges: CharacterRange[] = [];
    const properties: string[] = [];
    while (!this.#take(']')) {
      const first = this.#classAtom();
      const to = this.#rangeEnd(first);
      if (to === undefined) {
        ranges.push(...first.ranges);
        properties.push(...first.properties);
      } else ranges.push([first.ranges[0]?.[0] ?? 0, to]);
    }
    return this.#writeClass({ ranges, properties }, negated);
  }

  /** @returns undefined if the atom does not start a range */
  #rangeEnd(first: CharClass): number | undefined {
    if (this.#text.charAt(this.#at) !== '-' || this.#text.charAt(this.#at + 1) === ']' || !isOne(first))
      return undefined;
    const before = this.#at;
    this.#at += 1;
    const last = this.#classAtom();
    if (isOne(last)) return last.ranges[0]?.[1];
    this.#at = before;
    return undefined;
  }

  #classAtom(): CharClass {
    if (!this.#take('\\')) return char(this.#nextCodePoint());
    return this.#take('b') ? char(8) : this.#escape();
  }

  #writeClass({ ranges, properties }: CharClass, negated = false): TranslatedPattern {
    const all = this.#dialect.ignoreCase ? withOtherCase(ranges) : ranges;
    const size = 1 + Math.floor(all.length / RANGES_PER_UNIT) + PROPERTY_SIZE * properties.length;
    return { re2: classText({ ranges: all, properties }, negated), size };
  }

  /** Parses an escape after the backslash. */
  #escape(): CharClass {
    const { unicode } = this.#dialect;
    const letter = String.fromCodePoint(this.#nextCodePoint());
    const set = SETS[letter];
    if (set !== undefined) return { ranges: set, properties: [] };
    if (Object.hasOwn(CONTROLS, letter)) return char(CONTROLS[letter] ?? 0);
    if (letter === 'c') return char(this.#nextCodePoint() % 32);
    if (letter === '0' && !/\d/.test(this.#text.charAt(this.#at))) return char(0);
    if (letter === '0') throw new UnsupportedPattern('uses an octal escape');
    if (/\d/.test(letter) || letter === 'k') throw new UnsupportedPattern(`uses a back-reference (\\${letter})`);
    if (letter === 'x') return char(this.#hexDigits(HEX2) ?? letter.charCodeAt(0));
    if (letter === 'u') return char(this.#unicodeEscape());
    if (unicode && (letter === 'p' || letter === 'P')) return this.#property(letter);
    return char(letter.codePointAt(0) ?? 0);
  }

  #unicodeEscape(): number {
    const pair = this.#match(SURROGATES);
    if (pair !== undefined) return joinSurrogates(pair[1], pair[2]);
    const braced = this.#dialect.unicode ? this.#match(BRACED)?.[1] : undefined;
    if (braced !== undefined) return Number.parseInt(braced, 16);
    return this.#hexDigits(HEX4) ?? 'u'.charCodeAt(0);
  }

  #property(letter: 'p' | 'P'): CharClass {
    const name = this.#match(PROPERTY)?.[1] ?? this.#match(SCRIPT)?.[1];
    if (name !== undefined && isProperty(name)) return { ranges: [], properties: [`\\${letter}{${name}}`] };
    throw new UnsupportedPattern('uses a Unicode property other than a short general category or a Script');
  }

  #hexDigits(form: RegExp): number | undefined {
    const hexDigits = this.#match(form);
    return hexDigits && Number.parseInt(hexDigits[0], 16);
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const match = form.exec(this.#text) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }

  #take(expected: string): boolean {
    const isThere = this.#text.startsWith(expected, this.#at);
    if (isThere) this.#at += expected.length;
    return isThere;
  }

  #nextCodePoint(): number {
    const codePoint = this.#text.codePointAt(this.#at);
    if (codePoint === undefined) throw new UnsupportedPattern('ends within an escape');
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }
}

const properties = new Map<string, boolean>();

/** The cache needs no limit: JavaScript has few property names. */
function isProperty(name: string): boolean {
  const isKnown = properties.get(name) ?? compiles(`\\p{${name}}`);
  properties.set(name, isKnown);
  return isKnown;
}

function compiles(re2: string): boolean {
  try {
    RE2JS.compile(re2);
    return true;
  } catch {
    return false;
  }
}

const joinSurrogates = (high = '', low = ''): number =>
  String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0;
