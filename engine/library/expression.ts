/**
 * The grammar of `{{ a.b || c || 'literal' }}`: a text becomes pieces, each plain text or an expression; an expression
 * is a list of alternatives, each a path or a literal. Nothing is evaluated here.
 */
import { NodewrightError } from '../define/errors.ts';
import { isOneOf } from '../define/one-of.ts';

export const roots = ['options', 'context', 'task', 'api', 'file', 'server', 'sku', 'env'] as const;
export type Root = (typeof roots)[number];

export type Alternative = { root: Root; path: readonly string[] } | { literal: string | number | boolean | null };

export interface Expression {
  /** The original text, for error messages. */
  text: string;
  alternatives: readonly Alternative[];
}

export type ExpressionPart = string | Expression;

/** Longer than any sensible expression; limits the alternatives in a text of a million `||`. */
const EXPRESSION_LIMIT = 4_096;

const literals: Record<string, boolean | null> = { true: true, false: false, null: null };

/** @throws NodewrightError INVALID_OPTIONS if an expression is malformed */
export function parse(text: string): ExpressionPart[] {
  const pieces: ExpressionPart[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open === -1) break;
    if (open > at) pieces.push(text.slice(at, open));
    const close = closeOf(text, open + 2);
    const inner = text.slice(open + 2, close).trim();
    pieces.push({ text: inner, alternatives: split(inner).map((part) => alternative(part, inner)) });
    at = close + 2;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/** Returns the roots of all paths in the text. */
export const rootsIn = (pieces: readonly ExpressionPart[]): Root[] =>
  pieces.flatMap((piece) =>
    typeof piece === 'string' ? [] : piece.alternatives.flatMap((one) => ('root' in one ? [one.root] : [])),
  );

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
  throw malformed(text.slice(from - 2, from + 40), 'an expression that does not end', "'}}' at its end");
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

function alternative(part: string, inner: string): Alternative {
  const quoted = /^(['"])([\s\S]*)\1$/.exec(part);
  if (quoted?.[2] !== undefined && !quoted[2].includes(part.charAt(0))) return { literal: quoted[2] };
  if (/^-?\d+(\.\d+)?$/.test(part)) return { literal: Number(part) };
  if (Object.hasOwn(literals, part)) return { literal: literals[part] ?? null };
  // A segment may contain all characters that keys of catalogs and labels use, except those of the grammar itself.
  if (!/^[^\s.|'"{}]+(\.[^\s.|'"{}]+)*$/.test(part)) {
    throw malformed(inner, part === '' ? 'nothing' : `'${part}'`, 'a path such as context.step-1.value, or a literal');
  }
  const [root = '', ...path] = part.split('.');
  if (!isRoot(root)) throw malformed(inner, `'${root}'`, `one of ${roots.join(', ')} as the first word`);
  return { root, path };
}

const isRoot = (word: string): word is Root => isOneOf(roots, word);

const malformed = (text: string, found: string, expected: string) =>
  new NodewrightError('INVALID_OPTIONS', `template '{{ ${text} }}': found ${found}; expected ${expected}`);
