/**
 * Secrets in the options of graph and task definitions: encrypted when a definition is put, redacted when it is shown.
 */

import { taskOfSrc } from '../../library/forms/machine-json.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { conceal, type Hiding } from '../../vocabulary/conceal.ts';
import { holdsEncrypted } from '../../vocabulary/encrypted-values.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';

/** Returns the options schema of the named task. */
export type SchemaOf = (task: string) => object | undefined;

/**
 * Returns a copy with secrets hidden, each by the schema of the task that
 * receives it. Other shapes are left as they are.
 */
export function concealDefinition(json: unknown, schemaOf: SchemaOf, hiding: Hiding): unknown {
  if (!isObject(json)) return json;
  const ofTask = (name: unknown): object[] =>
    [typeof name === 'string' ? schemaOf(name) : undefined].flatMap((s) => s ?? []);
  const inside = (holder: JsonObject, key: string, schemas: readonly object[]): JsonObject =>
    holder[key] === undefined ? {} : { [key]: conceal(schemas, holder[key], hiding) };
  if (isObject(json.machine)) return concealMachine(json, ofTask, hiding);
  if (!Array.isArray(json.tasks)) return { ...json, ...inside(json, 'options', ofTask(json.implementsTask)) };
  const entries = json.tasks.filter(isObject);
  const schemasOf = ({ taskName, taskDefinition }: JsonObject): object[] =>
    ofTask(isObject(taskDefinition) ? taskDefinition.implementsTask : taskName);
  const ofLabel = (label: string): object[] =>
    entries.filter((entry) => label === 'defaults' || entry.label === label).flatMap(schemasOf);
  const taskOf = (entry: unknown): unknown => {
    if (!isObject(entry)) return entry;
    const { taskDefinition: own } = entry;
    return {
      ...entry,
      ...inside(entry, 'optionOverrides', schemasOf(entry)),
      ...(isObject(own) && { taskDefinition: { ...own, ...inside(own, 'options', schemasOf(entry)) } }),
    };
  };
  const options = isObject(json.options) && {
    options: Object.fromEntries(
      Object.entries(json.options).map(([label, own]) => [label, conceal(ofLabel(label), own, hiding)]),
    ),
  };
  return { ...json, ...options, tasks: json.tasks.map(taskOf) };
}

/** A machine as JSON: the inputs of its invokes, by the task of each `src`. */
function concealMachine(json: JsonObject, ofTask: (name: unknown) => object[], hiding: Hiding): JsonObject {
  const taskOf = taskOfSrc(json);
  const ofSrc = (src: string): object[] => ofTask(taskOf(src));
  const sources = new Set<string>();
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    if (!isObject(value)) return value;
    const { src, input } = value;
    const isInvoke = typeof src === 'string' && taskOf(src) !== undefined && input !== undefined;
    if (typeof src === 'string') sources.add(src);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === 'input' && isInvoke ? [key, conceal(ofSrc(src), inner, hiding)] : [key, within(inner)],
      ),
    );
  };
  const machine = within(json.machine);
  const options = Object.entries(objectIn(json.options)).map(([label, own]) => {
    // The labels of a src in several states begin with it.
    const isOf = (src: string) => label === 'defaults' || label === src || label.startsWith(`${src}-`);
    return [label, conceal([...sources].filter(isOf).flatMap(ofSrc), own, hiding)];
  });
  return {
    ...json,
    machine,
    ...(isObject(json.options) && { options: Object.fromEntries(options) }),
  };
}

/**
 * Returns the definition as it is stored. The encryption is deterministic, so that
 * an unchanged definition keeps its version.
 * @throws NodewrightError INVALID_DEFINITION for encrypted values in the input,
 * INVALID_OPTIONS for REDACTED as a secret
 */
export function encryptDefinition(json: Record<string, unknown>, schemaOf: SchemaOf, vault: Vault): JsonObject {
  if (holdsEncrypted(json))
    throw rejectedError('contains an encrypted value; give the secret itself, or {{ env.name }}');
  return concealDefinition(json, schemaOf, vault.hiding({ entered: true, stable: true })) as JsonObject;
}

const rejectedError = (message: string) =>
  new NodewrightError('INVALID_DEFINITION', `the definition ${message}`, {
    violations: [{ path: 'options', message }],
  });
