/**
 * Renders `{{ }}` in option values.
 *
 * Owns: the values of expressions. Relies on: `expression.ts` for the grammar.
 *
 * 1. A string that is one expression keeps the type of its value; otherwise values become part of the text, objects as
 *    JSON.
 * 2. Only own properties are read: `constructor` and `__proto__` are missing values.
 * 3. A missing value (undefined or null) selects the next alternative; without one it is an error that names it.
 * 4. Values are data and are not rendered again, except that an option may refer to another option one level deep. So
 *    rendering ends, and data reported by a node is never evaluated.
 * 5. The depth and size of rendered values are limited.
 * 6. Encrypted values are ordinary texts.
 */
import { deeper } from '../define/encrypted.ts';
import { NodewrightError, type Violation } from '../define/errors.ts';
import { property } from '../define/json.ts';
import { dotted, pointerPart } from '../define/json-pointer.ts';
import { type Alternative, type Expression, type ExpressionPart, parse, type Root, rootsIn } from './expression.ts';

export type Scope = { readonly [root in Root]?: unknown };

export interface Rendered {
  value: unknown;
  /** JSON pointers to deferred values; they still hold their template. */
  unknown: string[];
  violations: (Violation & { missing: boolean })[];
  /** It holds no template, so it is rendered the same in every scope. */
  isConstant: boolean;
}

/** More than any options need; a document of a million brackets must not overflow the stack. */
const DEPTH_LIMIT = 64;
/** In characters: the limit of a request. */
const SIZE_LIMIT = 10 * 1024 * 1024;

interface Job {
  scope: Scope;
  later: ReadonlySet<Root>;
  /** 0: the given options. 1: an option that another one refers to. */
  level: 0 | 1;
  size: { left: number };
  unknown: string[];
  violations: Rendered['violations'];
  isConstant: boolean;
}

type Worth = { known: unknown } | 'unknown' | 'missing';

/**
 * @throws NodewrightError TEMPLATE_VALUE_MISSING with the expression, or INVALID_OPTIONS if one is malformed or the
 * rendered value is too large
 */
export function render(value: unknown, scope: Scope): unknown {
  const rendered = renderKnown(value, scope, new Set());
  const [violation] = rendered.violations;
  if (violation === undefined) return rendered.value;
  const message = violation.path === '' ? violation.message : `${violation.path}: ${violation.message}`;
  throw new NodewrightError(violation.missing ? 'TEMPLATE_VALUE_MISSING' : 'INVALID_OPTIONS', message);
}

/** Renders all templates without the roots in `later`, and returns all violations. */
export function renderKnown(value: unknown, scope: Scope, later: ReadonlySet<Root>): Rendered {
  const size = { left: SIZE_LIMIT };
  const job: Job = { scope, later, level: 0, size, unknown: [], violations: [], isConstant: true };
  const rendered = walk(value, '', 0, job);
  const { unknown, violations, isConstant } = job;
  return { value: rendered, unknown, violations, isConstant };
}

/** Returns the roots that templates in the value refer to. */
export function rootsOf(value: unknown): Set<Root> {
  const found = new Set<Root>();
  const note = (text: string) => {
    for (const root of rootsIn(parse(text))) found.add(root);
  };
  strings(value, note, 0);
  return found;
}

/** @throws NodewrightError INVALID_OPTIONS if the value is nested too deeply */
export const checkDepth = (value: unknown): void => strings(value, () => {}, 0);

function strings(value: unknown, note: (text: string) => void, depth: number): void {
  if (depth > DEPTH_LIMIT) throw tooDeep();
  if (typeof value === 'string') note(value);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) strings(inner, note, depth + 1);
  }
}

function walk(value: unknown, at: string, depth: number, job: Job): unknown {
  if (depth > DEPTH_LIMIT) return wrong(at, tooDeep(), job);
  if (typeof value === 'string') return value.includes('{{') ? text(value, at, job) : value;
  if (Array.isArray(value)) return value.map((inner, index) => walk(inner, `${at}/${index}`, depth + 1, job));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries, because assigning a key `__proto__` would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, walk(inner, `${at}/${pointerPart(key)}`, depth + 1, job)]),
  );
}

function text(value: string, at: string, job: Job): unknown {
  job.isConstant = false;
  try {
    const worths = parse(value).map((piece) => worthOf(piece, at, job));
    if (worths.includes('unknown')) {
      job.unknown.push(at);
      return value;
    }
    const known = worths.map((worth) => (typeof worth === 'string' ? '' : worth.known));
    return known.length === 1 ? known[0] : known.map(asText).join('');
  } catch (error) {
    return wrong(at, error, job);
  }
}

function worthOf(piece: ExpressionPart, at: string, job: Job): Worth {
  if (typeof piece === 'string') return { known: piece };
  const worth = worthOfExpression(piece, job);
  if (worth === 'missing') {
    job.violations.push({ path: dotted(at), message: `template '{{ ${piece.text} }}' has no value`, missing: true });
  }
  return worth;
}

function worthOfExpression(expression: Expression, job: Job): Worth {
  for (const alternative of expression.alternatives) {
    const worth = worthOfAlternative(alternative, job);
    if (worth !== 'missing') return worth;
  }
  return 'missing';
}

function worthOfAlternative(alternative: Alternative, job: Job): Worth {
  if ('literal' in alternative) return alternative.literal === null ? 'missing' : { known: alternative.literal };
  if (job.later.has(alternative.root)) return 'unknown';
  const found = own(job.scope, [alternative.root, ...alternative.path]);
  if (found === undefined || found === null) return 'missing';
  spend(found, job);
  return alternative.root === 'options' && job.level === 0 ? nested(found, job) : { known: found };
}

/** Rule 4: an option that another option refers to. */
function nested(found: unknown, job: Job): Worth {
  const inner: Job = { ...job, level: 1, unknown: [], violations: [] };
  const known = walk(found, '', 0, inner);
  const broken = inner.violations.find((violation) => !violation.missing);
  if (broken !== undefined) throw new NodewrightError('INVALID_OPTIONS', broken.message);
  if (inner.unknown.length > 0) return 'unknown';
  return inner.violations.length > 0 ? 'missing' : { known };
}

function own(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    found = property(found, key);
  }
  return found;
}

function spend(found: unknown, job: Job): void {
  job.size.left -= asText(found).length;
  if (job.size.left >= 0) return;
  throw new NodewrightError(
    'INVALID_OPTIONS',
    `the templates render to more than ${SIZE_LIMIT} characters; shorten the options`,
  );
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return deeper(JSON.stringify(value) ?? '');
}

function wrong(at: string, error: unknown, job: Job): undefined {
  const message = error instanceof Error ? error.message : String(error);
  job.violations.push({ path: dotted(at), message, missing: false });
  return undefined;
}

const tooDeep = () =>
  new NodewrightError(
    'INVALID_OPTIONS',
    `values nested more than ${DEPTH_LIMIT} levels deep; expected flatter options`,
  );
