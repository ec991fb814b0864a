/**
 * Compiles tasks: from the export of a task file, and from RackHD's task JSON, which gives a code task other defaults.
 * Rejects, with what was found and expected, any task that the engine could not run.
 */
import { Type } from 'typebox';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { JsonObject } from '../define/json.ts';
import { obmServices } from '../define/node.ts';
import { isOneOf } from '../define/one-of.ts';
import { type OperationKind, operationKind } from '../define/operation.ts';
import { type Recovery, recoveries } from '../define/states.ts';
import type { TaskDefinition } from '../define/task.ts';
import { messageOf } from '../define/thrown.ts';
import { validator } from '../validation/validator.ts';
import { retryOfTask } from './checked-retry.ts';
import { hashOf } from './hash.ts';
import { Rejection, rejectDefinition, shown } from './rejection.ts';
import { checkSchema, UNKNOWN_KEY } from './schema.ts';
import { weigh } from './schema-limits.ts';
import { staticViolations } from './static-checks.ts';
import type { Source, Task, TaskLookup } from './types.ts';

export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && 'root' in value && 'implementations' in value && 'transition' in value;

export const isTaskDefinition = (value: unknown): value is TaskDefinition =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'task';

/** Returns all state nodes of a machine, the root first. */
export function nodesOf(machine: AnyStateMachine): AnyStateNode[] {
  const nodes: AnyStateNode[] = [machine.root];
  for (const node of nodes) nodes.push(...Object.values(node.states));
  return nodes;
}

/** @throws Refusal */
export function loadedTask(exported: unknown, hash: string, source: Source): Task {
  if (!isTaskDefinition(exported)) throw new Rejection(shown(exported), 'a default export made with defineTask');
  const name: unknown = exported.injectableName;
  if (typeof name !== 'string' || !/^Task\../.test(name)) {
    throw new Rejection(`injectableName ${shown(name)}`, "a name that starts with 'Task.'");
  }
  checkMachine(name, exported.machine);
  if (!isOneOf(recoveries, exported.recovery)) {
    throw new Rejection(
      `${name} with recovery ${shown(exported.recovery)}`,
      `recovery to be ${recoveries.join(' or ')}`,
    );
  }
  checkOptions(name, exported.optionsSchema, exported.options);
  const { friendlyName, recovery, optionsSchema, options, properties, retry, machine } = exported;
  const {
    probe,
    checkLaunch,
    needs = [],
    provides = [],
    runs = invokes(machine, 'graph') ? 'unknown' : undefined,
  } = exported;
  checkNeeds(name, { needs, provides });
  const definition = { friendlyName, injectableName: name, options, properties, optionsSchema, recovery };
  return {
    name,
    friendlyName,
    recovery,
    machine,
    schema: optionsSchema,
    defaults: options,
    properties,
    retry: retry && retryOfTask(name, retry),
    probe,
    checkLaunch,
    needs,
    provides,
    destructive: exported.destructive === true,
    runs,
    takesNotifications: invokes(machine, 'notification'),
    hash,
    definition: { ...definition },
    source,
  };
}

const invokes = (machine: AnyStateMachine, kind: OperationKind): boolean =>
  nodesOf(machine)
    .flatMap(({ invoke }) => invoke)
    .some(({ src }) => operationKind(typeof src === 'string' ? machine.implementations.actors[src] : src) === kind);

function checkNeeds(name: string, stated: Record<string, readonly { obm: string }[]>): void {
  for (const [key, entries] of Object.entries(stated)) {
    const services: readonly string[] = key === 'needs' ? [...obmServices, 'any'] : obmServices;
    const isFine = Array.isArray(entries) && entries.every((entry) => services.includes(entry?.obm));
    if (isFine) continue;
    throw new Rejection(
      `${name} with ${key} ${shown(entries)}`,
      `a list of { obm }, with one of ${services.join(', ')}`,
    );
  }
}

function checkMachine(name: string, machine: unknown): void {
  if (!isMachine(machine)) throw new Rejection(`${name} with ${shown(machine)} as machine`, 'an XState machine');
  for (const { src, id } of nodesOf(machine).flatMap((node) => node.invoke)) {
    const logic: unknown = typeof src === 'string' ? machine.implementations.actors[src] : src;
    if (operationKind(logic) !== undefined) continue;
    throw new Rejection(
      `${name} invoking ${shown(src)} (${id})`,
      'only operations: an act, notification, childGraph, command or release',
    );
  }
}

/** @param weight of a user-supplied schema */
function checkOptions(name: string, schema: unknown, options: JsonObject, weight?: number): void {
  if (typeof schema !== 'object' || schema === null) {
    throw new Rejection(`${name} with ${shown(schema)} as optionsSchema`, 'a JSON Schema of an object', {
      place: 'optionsSchema',
    });
  }
  try {
    checkSchema(schema, weight);
  } catch (error) {
    throw new Rejection(`${name} with an optionsSchema that does not compile: ${messageOf(error)}`, 'JSON Schema', {
      place: 'optionsSchema',
    });
  }
  const violations = staticViolations(schema, options).map((violation) => ({
    ...violation,
    path: `options.${violation.path}`,
  }));
  if (violations.length > 0) throw rejectDefinition(name, violations);
}

const Free = Type.Record(Type.String(), Type.Unknown());

const TaskJson = Type.Object(
  {
    friendlyName: Type.String({ minLength: 1, maxLength: 256 }),
    injectableName: Type.String({ pattern: '^Task\\..', maxLength: 256 }),
    implementsTask: Type.String({ minLength: 1 }),
    options: Type.Optional(Free),
    properties: Type.Optional(Free),
    optionsSchema: Type.Optional(Free),
  },
  { additionalProperties: false },
);

/**
 * @param code finds only code tasks: a JSON task cannot implement another JSON task, so there are no chains
 * @throws Refusal
 */
export function taskOfJson(json: unknown, code: TaskLookup, source: Source): Task {
  if (!validator.accepts(TaskJson, json)) {
    throw rejectDefinition('a task', validator.violations(TaskJson, json, UNKNOWN_KEY));
  }
  const base = code(json.implementsTask);
  if (base === undefined) {
    throw rejectDefinition('a task', [
      {
        path: 'implementsTask',
        message: `found '${json.implementsTask}', which is not a code task; expected one from a file`,
      },
    ]);
  }
  const own = json.optionsSchema;
  const weight = own === undefined ? undefined : weigh(own);
  // With its own id, so that its references resolve within it.
  const schema = own === undefined ? base.schema : { allOf: [base.schema, { $id: 'own', ...own }] };
  const defaults = { ...base.defaults, ...json.options };
  checkOptions(json.injectableName, schema, defaults, weight);
  const recovery: Recovery = base.recovery;
  return {
    ...base,
    name: json.injectableName,
    friendlyName: json.friendlyName,
    schema,
    defaults,
    properties: { ...base.properties, ...json.properties },
    hash: hashOf({ json, base: base.hash }),
    definition: { ...json, recovery },
    source,
  };
}
