/**
 * The options of a task run: merged from six sources, validated at launch and again when the task run starts, because
 * templates with `context` and computed inputs are known only then.
 *
 * 1. Lowest precedence first: the task's, `optionOverrides` (or the invoke's input), the graph's `defaults`, the graph's
 *    for the label, the request's `defaults`, the request's for the label. A value replaces one of lower precedence
 *    whole.
 * 2. `defaults` are for every task: a key that a task's schema does not have is dropped for that task.
 * 3. `_taskTimeout` belongs to the engine and is not validated by schemas.
 */
import { NodewrightError, VIOLATIONS_LIMIT, type Violation, violationList } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { savedJson } from '../../vocabulary/saved-json.ts';
import { DAY_MS } from '../../vocabulary/units.ts';
import type { Graph, Label } from '../types.ts';
import { type Root, roots } from './expression.ts';
import { acceptedDefaults } from './graph-labels.ts';
import { shownJson } from './rejection.ts';
import { fillDefaults, schemaViolations } from './schema.ts';
import { TIMEOUT, timeoutViolations } from './static-checks.ts';
import { checkDepth, newRoom, type RenderedTemplate, renderKnown, type Scope, withoutTemplates } from './templates.ts';

/** 24 h: enough to overwrite a disk, yet a lost task run does not occupy its node forever. */
const DEFAULT_TIMEOUT_MS = DAY_MS;

/** Returns the options before templates. @param dynamic the input computed by the machine, if any */
export function mergeOptions(graph: Graph, label: string, request: JsonObject, dynamic: JsonObject = {}): JsonObject {
  const graphLabel = labelIn(graph, label);
  const { task, overrides } = graphLabel;
  return {
    ...task.defaults,
    ...overrides,
    ...dynamic,
    ...acceptedDefaults(task, graph.options.defaults ?? {}),
    ...ownOptions(graph.options, label),
    ...acceptedDefaults(task, ownOptions(request, 'defaults')),
    ...ownOptions(request, label),
  };
}

/** Returns the timeout in ms; null: none. */
export function timeoutOf(options: JsonObject): number | null {
  const timeout = options[TIMEOUT];
  if (typeof timeout !== 'number') return DEFAULT_TIMEOUT_MS;
  return timeout > 0 ? timeout : null;
}

/**
 * Checks whether a workflow may start with these options. Read-only.
 *
 * @param scope the values known at launch: all roots except `context` and `task`
 * @param taskOf returns a label's `task`
 * @throws NodewrightError INVALID_OPTIONS with a violation for each path `options.<label>.<field>`
 */
export function checkRequest(
  graph: Graph,
  request: unknown,
  scope: Scope,
  taskOf: (label: string) => unknown = () => scope.task,
): void {
  const room = newRoom();
  const violations = requestViolations(graph, request, (label, options) => {
    // A task run has begun with the same ones.
    if (constants.has(label) && isOfGraph(label.label, options, undefined)) return [];
    const taskScope = { ...scope, room, task: taskOf(label.label) };
    return labelViolations(graph, label, options, taskScope, new Set(laterRoots(label)));
  });
  if (violations.length > 0) throw invalidOptions(graph.name, violations);
}

/**
 * Checks options for many nodes before any of them is tried: rejects what no node could run with, whatever its templates give.
 *
 * @param graphs at least one: those that the nodes have under one name
 * @throws NodewrightError INVALID_OPTIONS with the violations that all of the graphs have
 */
export function checkSharedRequest(graphs: readonly [Graph, ...Graph[]], request: JsonObject): void {
  const later: ReadonlySet<Root> = new Set(roots);
  const room = newRoom();
  const [violations, ...others] = graphs.map((graph) =>
    requestViolations(graph, request, (label, options) =>
      isOfGraph(label.label, options, undefined) ? [] : labelViolations(graph, label, options, { room }, later),
    ),
  );
  const common =
    violations?.filter(({ path }) => others.every((other) => other.some((one) => one.path === path))) ?? [];
  if (common.length > 0) throw invalidOptions(graphs[0].name, common);
}

function requestViolations(
  graph: Graph,
  request: unknown,
  ofLabel: (label: Label, request: JsonObject) => Violation[],
): Violation[] {
  checkDepth(request);
  const violations = shapeViolations(graph, request);
  const broken = new Set(violations.map(({ path }) => path));
  for (const label of graph.labels.values()) {
    if (!isObject(request) || violations.length >= VIOLATIONS_LIMIT) break;
    // The violations of its shape are sufficient.
    if (!broken.has(`options.${label.label}`)) violations.push(...ofLabel(label, request));
  }
  return violations;
}

/** The options that a task run starts with. */
export interface ResolvedOptions {
  options: JsonObject;
  timeoutMs: number | null;
}

/** Options without templates are the same for every task run of a label. Kept as JSON: each task run gets its own. */
const constants = new WeakMap<Label, { json: string; timeoutMs: number | null }>();

const isOfGraph = (label: string, request: JsonObject, dynamic: unknown): boolean =>
  dynamic === undefined && !Object.hasOwn(request, label) && !Object.hasOwn(request, 'defaults');

/** Returns what `resolve` returned before, if that does not depend on the workflow. */
export function constantOptions(
  graph: Graph,
  label: string,
  request: JsonObject,
  dynamic: unknown,
): ResolvedOptions | undefined {
  if (!isOfGraph(label, request, dynamic)) return undefined;
  const cachedOptions = constants.get(labelIn(graph, label));
  return cachedOptions && { options: JSON.parse(cachedOptions.json), timeoutMs: cachedOptions.timeoutMs };
}

/**
 * @param scope all roots; `options` is set here
 * @throws NodewrightError TEMPLATE_VALUE_MISSING or INVALID_OPTIONS: the task run fails with it
 */
export function resolve(
  graph: Graph,
  label: string,
  request: JsonObject,
  dynamic: unknown,
  scope: Scope,
): ResolvedOptions {
  const graphLabel = labelIn(graph, label);
  if (dynamic !== undefined && !isObject(dynamic)) {
    const violation = { path: `options.${label}`, message: `found input ${shownJson(dynamic)}; expected an object` };
    throw invalidOptions(label, [violation]);
  }
  const computed = savedJson(dynamic, `options.${label}`) as JsonObject | undefined;
  const raw = mergeOptions(graph, label, request, graphLabel.dynamic ? withoutTemplates(computed) : computed);
  const { value, violations, isConstant } = renderedOf(graphLabel, raw, scope, new Set());
  const missing = violations.find((violation) => violation.missing);
  const at = prefixPaths(label);
  if (missing !== undefined) {
    throw new NodewrightError('TEMPLATE_VALUE_MISSING', `${at(missing).path}: ${missing.message}`);
  }
  const all = [...violations, ...nulViolations(value, ''), ...timeoutViolations(raw[TIMEOUT])];
  if (all.length === 0)
    all.push(...schemaViolations(graphLabel.task.schema, value).map((violation) => ({ ...violation, missing: false })));
  if (all.length > 0) throw invalidOptions(label, all.map(at));
  const timeoutMs = timeoutOf(raw);
  if (isConstant && isOfGraph(label, request, dynamic))
    constants.set(graphLabel, { json: JSON.stringify(value), timeoutMs });
  return { options: value as JsonObject, timeoutMs };
}

/** Options may also refer to values of a computed input. */
const laterRoots = ({ dynamic }: Label): Root[] => (dynamic ? ['context', 'options'] : ['context']);

function labelViolations(
  graph: Graph,
  label: Label,
  request: JsonObject,
  scope: Scope,
  later: ReadonlySet<Root>,
): Violation[] {
  const raw = mergeOptions(graph, label.label, request);
  const { value, unknown, violations } = renderedOf(label, raw, scope, later);
  const broken = new Set(violations.map(({ path }) => path));
  const unfit = schemaViolations(label.task.schema, value, { partial: label.dynamic, unknown });
  const described = [
    ...violations,
    ...timeoutViolations(raw[TIMEOUT]),
    ...unfit.filter(({ path }) => !broken.has(path)),
  ];
  return described.map(prefixPaths(label.label));
}

/**
 * Returns the options of a label as far as they are known at launch, to be shown; other templates stay.
 * @param scope as `checkRequest`, and of `task` what is known
 * @param conceal hides the secrets among options; a template that refers to one gets what replaces it
 */
export const optionsAtLaunch = (
  graph: Graph,
  label: Label,
  request: JsonObject,
  scope: Scope,
  conceal: (options: JsonObject) => JsonObject,
): JsonObject =>
  conceal(
    renderedOf(
      label,
      conceal(mergeOptions(graph, label.label, request)),
      scope,
      new Set([...laterRoots(label), 'task'] as const),
    ).value as JsonObject,
  );

function renderedOf(label: Label, raw: JsonObject, scope: Scope, later: ReadonlySet<Root>): RenderedTemplate {
  const { [TIMEOUT]: _timeout, ...options } = raw;
  const filled = structuredClone(options);
  // Only applies the schema's defaults, so that templates can refer to them; validation follows after rendering.
  fillDefaults(label.task.schema, filled);
  return renderKnown(filled, { ...scope, options: filled }, later);
}

function shapeViolations(graph: Graph, request: unknown): Violation[] {
  if (!isObject(request)) return [{ path: 'options', message: `found ${shownJson(request)}; expected an object` }];
  const violations = Object.entries(request).flatMap(([label, values]): Violation[] => {
    const path = `options.${label}`;
    if (label !== 'defaults' && !graph.labels.has(label)) {
      const labels = [...graph.labels.keys()].slice(0, 20).join(', ');
      return [{ path, message: `found no such label in ${graph.name}; expected defaults or one of ${labels}` }];
    }
    return isObject(values) ? [] : [{ path, message: 'expected an object with options of the task' }];
  });
  return [...violations, ...nulViolations(request, 'options').map(({ path, message }) => ({ path, message }))];
}

/** Some databases cannot store a string with NUL, and it truncates command arguments. */
function nulViolations(value: unknown, path: string): (Violation & { missing: boolean })[] {
  const violation = { path, message: 'found a NUL character; expected text without NUL', missing: false };
  if (typeof value === 'string') return value.includes('\0') ? [violation] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key.includes('\0') ? [violation] : nulViolations(inner, path === '' ? key : `${path}.${key}`),
  );
}

function labelIn(graph: Graph, label: string): Label {
  const graphLabel = graph.labels.get(label);
  if (graphLabel !== undefined) return graphLabel;
  const labels = [...graph.labels.keys()].slice(0, 20).join(', ');
  throw new NodewrightError(
    'INVALID',
    `found label '${label}', which ${graph.name} does not have; expected one of ${labels}`,
  );
}

const prefixPaths =
  (label: string) =>
  ({ path, message }: Violation): Violation => ({
    path: path === '' ? `options.${label}` : `options.${label}.${path}`,
    message,
  });

/** @param name of the graph or the label */
export const invalidOptions = (name: string, violations: readonly Violation[]): NodewrightError =>
  new NodewrightError('INVALID_OPTIONS', `options for ${name}: ${violationList(violations)}`, { violations });

const ownOptions = (options: { readonly [label: string]: unknown }, key: string): JsonObject => {
  const labelOptions = Object.hasOwn(options, key) ? options[key] : undefined;
  return isObject(labelOptions) ? labelOptions : {};
};
