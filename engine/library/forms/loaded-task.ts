/**
 * Compiles a task from the export of its file. Rejects, with what was found and expected, any task that the engine could
 * not run.
 */
import type { AnyStateMachine } from 'xstate';
import { obmServices } from '../../define/node.ts';
import { type OperationKind, operationKind } from '../../define/operation.ts';
import type { TaskDefinition } from '../../define/task.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { powerEffects, recoveries } from '../../vocabulary/states.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { Rejection, rejectDefinition, shownJson } from '../options/rejection.ts';
import { checkSchema } from '../options/schema.ts';
import { staticViolations } from '../options/static-checks.ts';
import type { Source, Task } from '../types.ts';
import { checkedRetry } from './checked-retry.ts';
import { checkReferences } from './machine-names.ts';
import { nodesOf } from './machine-nodes.ts';

export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && 'root' in value && 'implementations' in value && 'transition' in value;

export const isTaskDefinition = (value: unknown): value is TaskDefinition =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'task';

/** @throws Rejection */
export function loadedTask(exported: unknown, hash: string, source: Source): Task {
  if (!isTaskDefinition(exported)) throw new Rejection(shownJson(exported), 'a default export made with defineTask');
  const name: unknown = exported.injectableName;
  if (typeof name !== 'string' || !/^Task\../.test(name)) {
    throw new Rejection(`injectableName ${shownJson(name)}`, "a name that starts with 'Task.'");
  }
  checkMachine(name, exported.machine);
  if (!isOneOf(recoveries, exported.recovery)) {
    throw new Rejection(
      `${name} with recovery ${shownJson(exported.recovery)}`,
      `recovery to be ${recoveries.join(' or ')}`,
    );
  }
  if (exported.power !== undefined && !isOneOf(powerEffects, exported.power))
    throw new Rejection(`${name} with power ${shownJson(exported.power)}`, `power to be ${powerEffects.join(' or ')}`);
  checkTaskOptions(name, exported.optionsSchema, exported.options);
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
    retry: retry && checkedRetry(name, retry),
    probe,
    checkLaunch,
    needs,
    provides,
    readOnly: readOnlyOf(name, exported.readOnly),
    destructive: exported.destructive === true,
    drives: exported.drives,
    power: exported.power,
    runs,
    releases: exported.releases,
    takesCommands: invokes(machine, 'command'),
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

/** Absent in tasks of an earlier version. */
function readOnlyOf(name: string, given: TaskDefinition['readOnly'] | undefined): TaskDefinition['readOnly'] {
  if (given === undefined || (isObject(given) && Object.values(given).every(Array.isArray))) return given ?? {};
  throw new Rejection(`${name} with readOnly ${shownJson(given)}`, 'lists of values, by the names of options');
}

function checkNeeds(name: string, stated: Record<string, readonly { obm: string }[]>): void {
  for (const [key, entries] of Object.entries(stated)) {
    const services: readonly string[] = key === 'needs' ? [...obmServices, 'any'] : obmServices;
    const isFine = Array.isArray(entries) && entries.every((entry) => services.includes(entry?.obm));
    if (isFine) continue;
    throw new Rejection(
      `${name} with ${key} ${shownJson(entries)}`,
      `a list of { obm }, with one of ${services.join(', ')}`,
    );
  }
}

function checkMachine(name: string, machine: unknown): void {
  if (!isMachine(machine)) throw new Rejection(`${name} with ${shownJson(machine)} as machine`, 'an XState machine');
  for (const { src, id } of nodesOf(machine).flatMap((node) => node.invoke)) {
    const logic: unknown = typeof src === 'string' ? machine.implementations.actors[src] : src;
    if (operationKind(logic) !== undefined) continue;
    throw new Rejection(
      `${name} invoking ${shownJson(src)} (${id})`,
      'only operations: an activity, notification, childGraph, command or release',
    );
  }
  checkReferences(machine, 'a task');
}

/** @param weight of a user-supplied schema */
export function checkTaskOptions(name: string, schema: unknown, options: JsonObject, weight?: number): void {
  if (typeof schema !== 'object' || schema === null) {
    throw new Rejection(`${name} with ${shownJson(schema)} as optionsSchema`, 'a JSON Schema of an object', {
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
