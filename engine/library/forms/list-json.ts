/** The list-of-tasks JSON of RackHD: its shape, and every reason to reject one. */
import { type Static, Type } from 'typebox';
import { validator } from '../../platform/validation/validator.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { keyOfPart } from '../../vocabulary/json-pointer.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { taskRunEnds, type WaitState, waitStates } from '../../vocabulary/states.ts';
import { type RejectionList, rejectDefinition, rejectFound } from '../options/rejection.ts';
import { UNKNOWN_KEY } from '../options/schema.ts';
import { reservedLabels } from '../types.ts';
import { definitionName } from './definition-name.ts';
import { TRANSITIONS_LIMIT } from './machine-limits.ts';

const TASKS_LIMIT = 1_000;

/** Keys that RackHD's graphs carry, and that have no effect here. */
export const unused = ['serviceGraph', 'schedulerOverrides', 'option'] as const;

const Free = Type.Record(Type.String(), Type.Unknown());
const Label = Type.String({ minLength: 1, maxLength: 256 });

/** RackHD's definitions carry comments under such names. */
const further = { patternProperties: { '^x-': {} }, additionalProperties: false };

const Entry = Type.Object(
  {
    label: Label,
    taskName: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    taskDefinition: Type.Optional(Free),
    waitOn: Type.Optional(Free),
    ignoreFailure: Type.Optional(Type.Boolean()),
    optionOverrides: Type.Optional(Free),
  },
  further,
);

const Shape = Type.Object(
  {
    friendlyName: Type.String({ minLength: 1, maxLength: 256 }),
    injectableName: definitionName,
    options: Type.Optional(Free),
    tasks: Type.Array(Entry, { minItems: 1, maxItems: TASKS_LIMIT }),
    ...Object.fromEntries(unused.map((key) => [key, Type.Optional(Type.Unknown())])),
  },
  further,
);

export type ListEntry = Static<typeof Entry>;
export type ListGraph = Static<typeof Shape>;

/** A task to wait for, and its accepted final states. */
interface Wait {
  on: string;
  states: readonly string[];
}

/** All of `all` and, unless `any` is empty, all waits of at least one member of `any`. */
export interface WaitOn {
  all: Wait[];
  any: Wait[][];
}

/**
 * Returns a copy without the keys that are not known here: they hide no other violation.
 * @param rejections receives those keys @throws Rejection with every violation of its shape
 */
export function shapedList(given: unknown, rejections: RejectionList): ListGraph {
  const put = structuredClone(given);
  const errors = validator.errors(Shape, put);
  for (const { keyword, instancePath, params } of errors) {
    if (keyword === 'additionalProperties')
      Reflect.deleteProperty(objectAt(put, instancePath), params.additionalProperty);
  }
  const violations = errors.length === 0 ? [] : validator.violations(Shape, given, UNKNOWN_KEY);
  if (!validator.accepts(Shape, put)) throw rejectDefinition('a graph', violations);
  rejections.try(() => rejectFound(violations));
  if (put.tasks.reduce((sum, { waitOn = {} }) => sum + entriesIn(waitOn), 0) <= TRANSITIONS_LIMIT) return put;
  const message = `found more than ${TRANSITIONS_LIMIT} entries in waitOn; expected at most ${TRANSITIONS_LIMIT}`;
  throw rejectDefinition('a graph', [{ path: 'tasks', message }]);
}

const objectAt = (value: unknown, pointer: string): object =>
  pointer
    .split('/')
    .slice(1)
    .reduce<object>((at, part) => Object(Reflect.get(at, keyOfPart(part))), Object(value));

/** @throws Rejection with every violation of its labels and waits */
export function checkTasks({ tasks }: ListGraph): void {
  const violations = [...tasks.flatMap(entryViolations), ...labelViolations(tasks)];
  rejectFound(violations.length > 0 ? violations : cycleViolations(tasks));
}

function entriesIn(waitOn: JsonObject): number {
  const groups: unknown[] = [waitOn.anyOf ?? {}].flat();
  const alternatives = groups.reduce<number>(
    (sum, group) => sum + (isObject(group) ? Object.keys(group).length : 1),
    0,
  );
  return Object.keys(waitOn).length + alternatives;
}

function entryViolations(entry: ListEntry, index: number): Violation[] {
  const path = `tasks.${index}`;
  const violations: Violation[] = [];
  if ((entry.taskName === undefined) === (entry.taskDefinition === undefined)) {
    const actual = entry.taskName === undefined ? 'neither' : 'both';
    violations.push({ path, message: `found ${actual} of taskName and taskDefinition; expected one of them` });
  }
  if (reservedLabels.includes(entry.label)) {
    violations.push({
      path: `${path}.label`,
      message: `found '${entry.label}', which is reserved; expected another label`,
    });
  }
  return [...violations, ...waitViolations(entry.waitOn ?? {}, `${path}.waitOn`)];
}

function waitViolations(waitOn: JsonObject, path: string): Violation[] {
  const { anyOf, ...all } = waitOn;
  const violations = conditionViolations(all, path);
  if (anyOf === undefined) return violations;
  const groups: unknown[] = Array.isArray(anyOf) ? anyOf : [anyOf];
  const nothing = groups.length === 0 || groups.some((group) => !isObject(group) || Object.keys(group).length === 0);
  if (nothing) {
    const message = 'expected an object of labels and states with at least one entry, or a list of such objects';
    return [...violations, { path: `${path}.anyOf`, message }];
  }
  return [...violations, ...groups.flatMap((group) => conditionViolations(objectIn(group), `${path}.anyOf`))];
}

function conditionViolations(conditions: JsonObject, path: string): Violation[] {
  return Object.entries(conditions).flatMap(([label, states]) => {
    const given: unknown[] = Array.isArray(states) ? states : [states];
    const isKnown = given.length > 0 && given.every((state) => isOneOf(waitStates, state));
    const message = `expected one of ${waitStates.join(', ')}, or a list of them`;
    return isKnown ? [] : [{ path: `${path}.${label}`, message }];
  });
}

function labelViolations(tasks: readonly ListEntry[]): Violation[] {
  const labels = new Set<string>();
  const violations: Violation[] = [];
  tasks.forEach(({ label }, index) => {
    if (labels.has(label)) violations.push({ path: `tasks.${index}.label`, message: `found '${label}' a second time` });
    labels.add(label);
  });
  tasks.forEach((entry, index) => {
    for (const on of predecessors(entry)) {
      if (labels.has(on)) continue;
      violations.push({ path: `tasks.${index}.waitOn.${on}`, message: 'no task of the graph has this label' });
    }
  });
  return violations;
}

function cycleViolations(tasks: readonly ListEntry[]): Violation[] {
  const order = new Set(topologicalOrder(tasks));
  const stuck = new Map(tasks.filter(({ label }) => !order.has(label)).map((entry) => [entry.label, entry]));
  const [first] = stuck.values();
  if (first === undefined) return [];
  // Each remaining task waits for another remaining one, so walking back from any of them reaches a cycle.
  const walked: string[] = [];
  let label = first.label;
  while (!walked.includes(label)) {
    walked.push(label);
    label = predecessors(stuck.get(label)!).find((on) => stuck.has(on))!;
  }
  const cycle = [...walked.slice(walked.indexOf(label)), label];
  return [{ path: 'tasks', message: `waitOn contains a cycle: ${cycle.join(' -> ')}` }];
}

/** Returns the labels so that each follows all that it waits for; otherwise in the order of the list. */
export function topologicalOrder(tasks: readonly ListEntry[]): string[] {
  const open = new Map(tasks.map((entry) => [entry.label, new Set(predecessors(entry)).size]));
  const after = new Map<string, string[]>();
  for (const entry of tasks) {
    for (const on of new Set(predecessors(entry))) {
      const followers = after.get(on);
      if (followers === undefined) after.set(on, [entry.label]);
      else followers.push(entry.label);
    }
  }
  const order = tasks.filter(({ label }) => open.get(label) === 0).map(({ label }) => label);
  // Iterating an array also visits labels that are pushed in the meantime.
  for (const label of order) {
    for (const next of after.get(label) ?? []) {
      const openCount = (open.get(next) ?? 0) - 1;
      open.set(next, openCount);
      if (openCount === 0) order.push(next);
    }
  }
  return order;
}

function predecessors(entry: ListEntry): string[] {
  const { all, any } = waitOnOf(entry);
  return [...all, ...any.flat()].map(({ on }) => on);
}

/** The checks and the plan read it several times, and parsing a join of a thousand tasks is slow. */
const read = new WeakMap<ListEntry, WaitOn>();

export function waitOnOf(entry: ListEntry): WaitOn {
  const cachedWaitOn = read.get(entry);
  if (cachedWaitOn !== undefined) return cachedWaitOn;
  const { anyOf, ...all } = entry.waitOn ?? {};
  const waitOn = { all: waits(all), any: alternatives(anyOf) };
  read.set(entry, waitOn);
  return waitOn;
}

/** An object requires one of its entries. A list requires one of its objects, with all its entries. */
function alternatives(anyOf: unknown): Wait[][] {
  if (Array.isArray(anyOf)) return anyOf.map((group: JsonObject) => waits(group));
  return isObject(anyOf) ? waits(anyOf).map((wait) => [wait]) : [];
}

const waits = (conditions: JsonObject): Wait[] =>
  Object.entries(conditions).map(([on, states]) => ({ on, states: ends(states as WaitState | WaitState[]) }));

const ends = (states: WaitState | WaitState[]): readonly string[] =>
  [states].flat().flatMap((state) => (state === 'finished' ? taskRunEnds : [state]));
