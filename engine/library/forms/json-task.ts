/**
 * Compiles RackHD's task JSON, which gives a code task other defaults. The code task is named in `implementsTask`: under
 * its own name, or as the base task of RackHD that has its job (`rackhd/base-tasks.ts`).
 */
import { Type } from 'typebox';
import { validator } from '../../platform/validation/validator.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { type PowerEffect, powerEffects, type Recovery, recoveries } from '../../vocabulary/states.ts';
import { hashOf } from '../options/hash.ts';
import { rejectDefinition } from '../options/rejection.ts';
import { UNKNOWN_KEY } from '../options/schema.ts';
import { weigh } from '../options/schema-limits.ts';
import { openedSchema, withoutNulls } from '../options/wider-options.ts';
import type { Source, Task, TaskLookup } from '../types.ts';
import { definitionName } from './definition-name.ts';
import { checkTaskOptions } from './loaded-task.ts';
import { selectsBy, taskOfBase } from './rackhd/base-tasks.ts';
import { unavailableTask } from './unavailable.ts';

const Free = Type.Record(Type.String(), Type.Unknown());

const TaskJson = Type.Object(
  {
    friendlyName: Type.String({ minLength: 1, maxLength: 256 }),
    injectableName: definitionName,
    implementsTask: Type.String({ minLength: 1 }),
    options: Type.Optional(Free),
    /** Effects of the commands of the task: its code task, which runs any command, cannot know them. */
    destructive: Type.Optional(Type.Literal(true)),
    power: Type.Optional(Type.Unsafe<PowerEffect>({ type: 'string', enum: [...powerEffects] })),
    properties: Type.Optional(Free),
    /** As a text: the name of a schema file of RackHD, which is not here. */
    optionsSchema: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Free])),
    requiredProperties: Type.Optional(Type.Union([Free, Type.Array(Type.Unknown())])),
    requiredOptions: Type.Optional(Type.Array(Type.String())),
    /** As in an answer, which can be sent back; it is that of the code task. */
    recovery: Type.Optional(Type.Unsafe<Recovery>({ type: 'string', enum: [...recoveries] })),
  },
  { additionalProperties: false },
);

/**
 * @param code finds only code tasks: a JSON task cannot implement another JSON task, so there are no chains
 * @throws Rejection
 */
export function taskOfJson(sent: unknown, code: TaskLookup, source: Source): Task {
  if (!validator.accepts(TaskJson, sent)) {
    throw rejectDefinition('a task', validator.violations(TaskJson, sent, UNKNOWN_KEY));
  }
  const { recovery, ...json } = sent;
  const given = json.options ?? {};
  const base = implementedTask(json.implementsTask, given, code);
  if (recovery !== undefined && recovery !== base.recovery) {
    const message = `found '${recovery}'; ${json.implementsTask} is '${base.recovery}', and a definition cannot change that`;
    throw rejectDefinition('a task', [{ path: 'recovery', message }]);
  }
  const selector = selectsBy(json.implementsTask);
  const ownSchema = isObject(json.optionsSchema) ? json.optionsSchema : undefined;
  const weight = ownSchema === undefined ? undefined : weigh(ownSchema);
  const wide = openedSchema(base.schema, declaredOptions(json.optionsSchema, given));
  // With its own id, so that its references resolve within it.
  const declaredSchema = ownSchema === undefined ? wide : { allOf: [wide, { $id: 'own', ...ownSchema }] };
  const schema = selector === undefined ? declaredSchema : withFixedOption(declaredSchema, selector, given[selector]);
  const options = Object.fromEntries(Object.entries(given).filter(([key]) => key !== selector));
  const defaults = { ...base.defaults, ...withoutNulls(schema, options) };
  checkTaskOptions(json.injectableName, schema, defaults, weight);
  return {
    ...base,
    name: json.injectableName,
    friendlyName: json.friendlyName,
    schema,
    defaults,
    properties: { ...base.properties, ...json.properties },
    destructive: base.destructive || json.destructive === true,
    power: base.power ?? json.power,
    hash: hashOf({ json, base: base.hash }),
    definition: { ...json, recovery: base.recovery },
    source,
  };
}

/** The option has selected the task: another value in a launch would have no effect, so it is rejected. */
function withFixedOption(schema: object, name: string, value: unknown): object {
  const message = `is ${value} in the definition of the task; name another task for another`;
  return { allOf: [schema, { properties: { [name]: { const: value, description: message } } }] };
}

/** The options that a definition declares itself, beyond those of its code task; `all`: it does not say which. */
function declaredOptions(schema: string | JsonObject | undefined, options: JsonObject): string[] | 'all' {
  if (typeof schema === 'string') return 'all';
  const properties = isObject(schema?.properties) ? schema.properties : {};
  return [...Object.keys(options), ...Object.keys(properties)];
}

/** @throws Rejection */
function implementedTask(name: string, options: JsonObject, code: TaskLookup): Task {
  const codeTask = code(name);
  if (codeTask !== undefined) return codeTask;
  const baseTask = taskOfBase(name, options);
  if (baseTask !== undefined && 'why' in baseTask) return unavailableTask(baseTask);
  const base = baseTask === undefined ? undefined : code(baseTask.task);
  if (base !== undefined) return { ...base, defaults: { ...base.defaults, ...baseTask?.defaults } };
  const message = `found '${name}', which is not a code task; expected one from a file, or a base task of RackHD`;
  throw rejectDefinition('a task', [{ path: 'implementsTask', message }]);
}
