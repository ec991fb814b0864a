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
 *    rendering ends, and data reported by a node is never evaluated; where code has put values into options, they are
 *    escaped first (`withoutTemplates`).
 * 5. The depth and size of rendered values, the work for them, and the number of violations are limited.
 * 6. Encrypted values are ordinary texts.
 */
import { withDepth } from '../../vocabulary/encrypted-values.ts';
import { NodewrightError, VIOLATIONS_LIMIT, type Violation } from '../../vocabulary/errors.ts';
import { isObject, property } from '../../vocabulary/json.ts';
import { dottedPath, pointerPart } from '../../vocabulary/json-pointer.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { MIB } from '../../vocabulary/units.ts';
import {
  type Alternative,
  type Expression,
  type ExpressionPart,
  parse,
  pathsIn,
  type Root,
  type Section,
} from './expression.ts';
import { elsewhere } from './places.ts';

export type Scope = { readonly [root in Root]?: unknown } & {
  /** `context` has the outputs of tasks by label. */
  readonly byLabel?: boolean;
  /** Shared by all that is rendered without a pause. */
  readonly room?: Room;
};

/** The characters that may still be rendered. Work is counted in characters, too. */
export interface Room {
  size: number;
}

export interface RenderedTemplate {
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
const SIZE_LIMIT = 10 * MIB;
/** In characters. Sections, options that refer to others, and labels multiply values. */
const ITEM_COST = 50;
/** In characters: to read an alternative of an expression, and to look it up. Each takes 2 us. */
const ALTERNATIVE_COST = 500;

export const newRoom = (): Room => ({ size: SIZE_LIMIT });

interface Job {
  scope: Scope;
  later: ReadonlySet<Root>;
  /** 0: the given options. 1: an option that another one refers to. */
  level: 0 | 1;
  room: Room;
  unknown: string[];
  violations: RenderedTemplate['violations'];
  isConstant: boolean;
  /** Items of the enclosing sections, the innermost last. */
  items?: readonly unknown[];
}

type ValueState = { known: unknown } | 'unknown' | 'missing';

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
export function renderKnown(value: unknown, scope: Scope, later: ReadonlySet<Root>): RenderedTemplate {
  const job: Job = {
    scope,
    later,
    level: 0,
    room: scope.room ?? newRoom(),
    unknown: [],
    violations: [],
    isConstant: true,
  };
  const rendered = walk(value, '', 0, job);
  const { unknown, violations, isConstant } = job;
  return { value: rendered, unknown, violations, isConstant };
}

/** Returns the roots that templates in the value refer to. */
export function rootsOf(value: unknown): Set<Root> {
  const roots = new Set<Root>();
  const note = (text: string) => {
    for (const { root } of pathsIn(parse(text))) roots.add(root);
  };
  strings(value, note, 0);
  return roots;
}

/** Returns the names of the options that templates in the value refer to; none of those in a malformed text. */
export function optionNames(value: unknown): Set<string> {
  const names = new Set<string>();
  const note = (text: string) => {
    try {
      for (const { root, path } of pathsIn(parse(text))) if (root === 'options' && path[0]) names.add(path[0]);
    } catch {
      // Reported with the value.
    }
  };
  strings(value, note, 0);
  return names;
}

/** Returns options that render to the given values, which hold data: their `{{` is text. */
export function withoutTemplates<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('{{', "{{ '{{' }}") as T;
  if (Array.isArray(value)) return value.map(withoutTemplates) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTemplates(inner)])) as T;
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
  if (depth > DEPTH_LIMIT) return noteError(at, tooDeep(), job);
  charge(ITEM_COST, job);
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
    charge((value.split(/\{\{|\|\|/).length - 1) * ALTERNATIVE_COST, job);
    const worths = parse(value).map((piece) => worthOf(piece, at, job));
    if (worths.includes('unknown')) {
      job.unknown.push(at);
      return value;
    }
    if (worths.includes('missing')) return value;
    const knownParts = worths.map((worth) => (typeof worth === 'string' ? '' : worth.known));
    return knownParts.length === 1 ? knownParts[0] : knownParts.map(asText).join('');
  } catch (error) {
    return noteError(at, error, job);
  }
}

function worthOf(piece: ExpressionPart, at: string, job: Job): ValueState {
  if (typeof piece === 'string') return { known: piece };
  if ('parts' in piece) return worthOfSection(piece, at, job);
  const worth = worthOfExpression(piece, job);
  if (worth === 'missing') note(at, `template '{{ ${piece.text} }}' has no value`, true, job);
  return worth;
}

function worthOfSection({ subject, inverted, parts }: Section, at: string, job: Job): ValueState {
  const worth = worthOfAlternative(subject, job);
  if (worth === 'unknown') return worth;
  const value = worth === 'missing' ? undefined : worth.known;
  const isEmpty = !value || (Array.isArray(value) && value.length === 0);
  if (isEmpty !== inverted) return { known: '' };
  const items: unknown[] = Array.isArray(value) ? value : [value];
  let text = '';
  for (const item of items) {
    charge(ITEM_COST, job);
    const inner = inverted ? job : { ...job, items: [...(job.items ?? []), item] };
    for (const part of parts) {
      const valueState = worthOf(part, at, inner);
      if (valueState === 'unknown') return valueState;
      text += valueState === 'missing' ? '' : asText(valueState.known);
    }
    charge(text.length, job);
  }
  return { known: text };
}

function worthOfItem(path: readonly string[], { items = [] }: Job): ValueState {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const itemValue = ownValue(items[at], path);
    if (itemValue !== undefined && itemValue !== null) return { known: itemValue };
  }
  return 'missing';
}

function worthOfExpression(expression: Expression, job: Job): ValueState {
  for (const alternative of expression.alternatives) {
    const worth = worthOfAlternative(alternative, job);
    if (worth !== 'missing') return worth;
  }
  return 'missing';
}

function worthOfAlternative(alternative: Alternative, job: Job): ValueState {
  charge(ALTERNATIVE_COST, job);
  if ('literal' in alternative) return alternative.literal === null ? 'missing' : { known: alternative.literal };
  if ('item' in alternative) return worthOfItem(alternative.item, job);
  const { root, path } = alternative;
  const isLater = job.later.has(root);
  // The node of a task is known before its other values.
  if (isLater && root !== 'task') return 'unknown';
  const value = ownValue(job.scope, [root, ...path]) ?? elsewhere(root, path, job.scope);
  if (isLater && (value === undefined || value === null)) return 'unknown';
  if (value === undefined || value === null) return 'missing';
  spend(value, job);
  return alternative.root === 'options' && job.level === 0 ? renderNested(value, job) : { known: value };
}

/** Rule 4: an option that another option refers to. */
function renderNested(nested: unknown, job: Job): ValueState {
  const inner: Job = { ...job, level: 1, unknown: [], violations: [] };
  const renderedValue = walk(nested, '', 0, inner);
  const broken = inner.violations.find((violation) => !violation.missing);
  if (broken !== undefined) throw new NodewrightError('INVALID_OPTIONS', broken.message);
  if (inner.unknown.length > 0) return 'unknown';
  return inner.violations.length > 0 ? 'missing' : { known: renderedValue };
}

function ownValue(value: unknown, path: readonly string[]): unknown {
  let descendant = value;
  for (const key of path) {
    descendant = property(descendant, key);
  }
  return descendant;
}

const spend = (value: unknown, job: Job): void => charge(asText(value).length, job);

function charge(size: number, job: Job): void {
  job.room.size -= size;
  if (job.room.size >= 0) return;
  throw new NodewrightError(
    'INVALID_OPTIONS',
    `the templates render to more than ${SIZE_LIMIT} characters, or have too many expressions; shorten the options`,
  );
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return withDepth(JSON.stringify(value) ?? '');
}

function noteError(at: string, error: unknown, job: Job): undefined {
  note(at, messageOf(error), false, job);
  return undefined;
}

/** No more than an answer has: a section has the violations of each of its items. */
function note(at: string, message: string, missing: boolean, { violations }: Job): void {
  if (violations.length < VIOLATIONS_LIMIT) violations.push({ path: dottedPath(at), message, missing });
}

const tooDeep = () =>
  new NodewrightError(
    'INVALID_OPTIONS',
    `values nested more than ${DEPTH_LIMIT} levels deep; expected flatter options`,
  );
