/**
 * The grammar of `{{ a.b || c || 'literal' }}`: a text becomes pieces, each plain text or an expression; an expression
 * is a list of alternatives, each a path or a literal. Nothing is evaluated here.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';

export const roots = ['options', 'context', 'task', 'api', 'file', 'server', 'sku', 'env', 'config'] as const;
export type Root = (typeof roots)[number];

/** `item`: a value of the item of the section around it; the empty path is the item itself. */
export type Alternative =
  | { root: Root; path: readonly string[] }
  | { item: readonly string[] }
  | { literal: string | number | boolean | null };

export interface Expression {
  /** The original text, for error messages. */
  text: string;
  alternatives: readonly Alternative[];
}

/** `{{#x}}...{{/x}}`: once for each item of a list, or once for another value; `{{^x}}`: only without one. */
export interface Section {
  text: string;
  inverted: boolean;
  subject: Alternative;
  parts: readonly ExpressionPart[];
}

export type ExpressionPart = string | Expression | Section;

/** Longer than any sensible expression; limits the alternatives in a text of a million `||`. */
const EXPRESSION_LIMIT = 4_096;

/** Maximum depth of nested sections. */
const SECTIONS_DEPTH = 8;

const literals: Record<string, boolean | null> = { true: true, false: false, null: null };

/** @throws NodewrightError INVALID_OPTIONS if an expression is malformed */
export function parse(text: string): ExpressionPart[] {
  const outer: ExpressionPart[] = [];
  /** The open sections, the innermost last. */
  const open: { parts: ExpressionPart[]; name: string }[] = [];
  let pieces = outer;
  let at = 0;
  for (;;) {
    const begin = text.indexOf('{{', at);
    if (begin === -1) break;
    if (begin > at) pieces.push(text.slice(at, begin));
    const end = closeOf(text, begin + 2);
    const inner = text.slice(begin + 2, end).trim();
    at = end + 2;
    const sign = inner.charAt(0);
    const name = inner.slice(1).trim();
    if (sign === '#' || sign === '^') {
      if (open.length === SECTIONS_DEPTH)
        throw malformedError(inner, 'too many sections', `${SECTIONS_DEPTH} or fewer`);
      const parts: ExpressionPart[] = [];
      pieces.push({ text: name, inverted: sign === '^', subject: alternativeIn(name, inner, open.length > 0), parts });
      open.push({ parts, name });
      pieces = parts;
    } else if (sign === '/') {
      const closed = open.pop();
      if (closed?.name !== name) throw malformedError(inner, `the end of '${name}'`, closedBy(closed?.name));
      pieces = open.at(-1)?.parts ?? outer;
    } else {
      pieces.push({
        text: inner,
        alternatives: split(inner).map((part, n) => alternativeIn(part, inner, open.length > 0, n)),
      });
    }
  }
  const [openSection] = open;
  if (openSection !== undefined)
    throw malformedError(`#${openSection.name}`, 'a section that does not end', closedBy(openSection.name));
  if (at < text.length) pieces.push(text.slice(at));
  return outer;
}

const closedBy = (name: string | undefined) => (name === undefined ? 'an open section' : `'{{/${name}}}'`);

/** Returns all paths in the text. */
export const pathsIn = (pieces: readonly ExpressionPart[]): { root: Root; path: readonly string[] }[] =>
  pieces.flatMap((piece) => {
    if (typeof piece === 'string') return [];
    const alternatives = 'parts' in piece ? [piece.subject] : piece.alternatives;
    const places = alternatives.flatMap((one) => ('root' in one ? [one] : []));
    return 'parts' in piece ? [...places, ...pathsIn(piece.parts)] : places;
  });

/** Returns the index of the `}}` that ends the expression, ignoring those inside quotes. */
function closeOf(text: string, from: number): number {
  let quote = '';
  const end = Math.min(text.length, from + EXPRESSION_LIMIT);
  for (let at = from; at < end; at++) {
    const char = text.charAt(at);
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === '}' && text.charAt(at + 1) === '}') return at;
  }
  throw malformedError(text.slice(from - 2, from + 40), 'an expression that does not end', "'}}' at its end");
}

/** Splits at each `||` outside quotes. */
function split(inner: string): string[] {
  const parts: string[] = [];
  let quote = '';
  let from = 0;
  for (let at = 0; at < inner.length; at++) {
    const char = inner.charAt(at);
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === '|' && inner.charAt(at + 1) === '|') {
      parts.push(inner.slice(from, at));
      from = at + 2;
      at++;
    }
  }
  return [...parts, inner.slice(from)].map((part) => part.trim());
}

/** @param isInside a section, whose items have values under names without a root @param n of several alternatives */
function alternativeIn(part: string, inner: string, isInside = false, n = 0): Alternative {
  const quoted = /^(['"])([\s\S]*)\1$/.exec(part);
  if (quoted?.[2] !== undefined && !quoted[2].includes(part.charAt(0))) return { literal: quoted[2] };
  if (/^-?\d+(\.\d+)?$/.test(part)) return { literal: Number(part) };
  if (Object.hasOwn(literals, part)) return { literal: literals[part] ?? null };
  if (isInside && part === '.') return { item: [] };
  const [root = '', ...path] = segments(part, inner);
  if (isRoot(root)) return { root, path };
  if (isInside) return { item: [root, ...path] };
  // As RackHD: `{{ context.user || admin }}`.
  if (n > 0 && path.length === 0) return { literal: root };
  throw malformedError(inner, `'${root}'`, `one of ${roots.join(', ')} as the first word`);
}

/** `a.b`, or `a["b c"].d` for keys with dots and spaces. */
function segments(part: string, inner: string): string[] {
  const plain: string[] = [];
  const keys: string[] = [];
  const text = part.replace(/\[(["'])([^"'[\]]*)\1\]/g, (_, __, key: string) => `.\0${keys.push(key) - 1}`);
  for (const segment of text.split('.')) {
    // A segment may contain all characters that keys of catalogs and labels use, except those of the grammar itself.
    if (!/^[^\s.|'"{}]+$/.test(segment)) {
      throw malformedError(
        inner,
        part === '' ? 'nothing' : `'${part}'`,
        'a path such as context.step-1.value, or a literal',
      );
    }
    plain.push(segment.startsWith('\0') ? (keys[Number(segment.slice(1))] ?? '') : segment);
  }
  return plain;
}

const isRoot = (word: string): word is Root => isOneOf(roots, word);

const malformedError = (text: string, actual: string, expected: string) =>
  new NodewrightError('INVALID_OPTIONS', `template '{{ ${text} }}': found ${actual}; expected ${expected}`);
