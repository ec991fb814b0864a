/**
 * Compiles graphs from XState machines: those made with the authoring kit, whose labels are the invokes' `src`, and
 * plain machines, whose labels are the invokes' own ids, or else their `src`, which names a task of the library.
 */
import { basename } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { type GraphMeta, graphMeta, type Tasks } from '../define/graph.ts';
import { isObject, type JsonObject } from '../define/json.ts';
import { placeholder } from '../define/placeholder.ts';
import { hashOf } from './hash.ts';
import { optionsWithTimeouts, policyLabels } from './label-policies.ts';
import { isMachine, loadedTask, nodesOf } from './loaded-task.ts';
import { checkActions, checkEnds } from './machine-checks.ts';
import { Rejection, rejectDefinition, shown } from './rejection.ts';
import { knows } from './schema.ts';
import { staticViolations } from './static-checks.ts';
import { type Graph, type Label, reservedLabels, type Source, type Task, type TaskLookup } from './types.ts';

interface Invoked {
  label: string;
  src: string;
  input: unknown;
  /** The state that invokes it. */
  at: string;
}

/** @param hash of the file's bundled text @throws Refusal */
export function graphOf(exported: unknown, hash: string, tasks: TaskLookup, source: Source): Graph {
  if (!isMachine(exported)) throw new Rejection(shown(exported), 'a default export that is an XState machine');
  const meta = graphMeta(exported);
  const name = nameOf(exported, meta);
  checkActions(exported);
  checkEnds(exported);
  const labels = meta === undefined ? plainLabels(exported, tasks) : kitLabels(exported, meta, hash, source);
  const options = meta === undefined ? {} : optionsWithTimeouts(meta);
  checkOptions(options, labels);
  const friendlyName = meta?.friendlyName ?? exported.config.description ?? name;
  const used = [...labels.values()].map(({ task }) => task.hash);
  const file = source.kind === 'file' ? { file: basename(source.file) } : {};
  const listed = [...labels.values()].map(({ label, task, retry, compensates }) => ({
    label,
    taskName: task.name,
    ...(retry !== undefined && { retry }),
    ...(compensates !== undefined && { compensates }),
  }));
  const own = new Set(labels.keys());
  return {
    name,
    friendlyName,
    kind: 'machine',
    machine: meta === undefined ? withPlaceholders(exported) : exported,
    labels,
    options,
    source,
    // The file of a plain machine does not contain its tasks, so their hashes are part of its own.
    hash: meta === undefined ? hashOf({ hash, used }) : hash,
    definition: { friendlyName, injectableName: name, options, tasks: listed, ...file },
    labelOf: meta === undefined ? (src, id) => (own.has(id) ? id : src) : (src) => src,
  };
}

/** XState computes the input of an invoke only if it knows its logic. */
function withPlaceholders(machine: AnyStateMachine): AnyStateMachine {
  const sources = nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ src }) => String(src)));
  return machine.provide({ actors: Object.fromEntries(sources.map((src) => [src, placeholder])) });
}

function nameOf(machine: AnyStateMachine, meta: GraphMeta<Tasks> | undefined): string {
  const id: unknown = machine.config.id;
  const name: unknown = meta?.injectableName ?? id;
  if (typeof name !== 'string' || !/^Graph\../.test(name)) {
    throw new Rejection(`id ${shown(name)}`, "a name that starts with 'Graph.', as the machine's id");
  }
  if (meta !== undefined && id !== undefined && id !== name) {
    throw new Rejection(`id ${shown(id)} with injectableName '${name}'`, 'the same name in both places');
  }
  return name;
}

/** `labelOf` is the caller's rule: only the caller knows whether `src` or the id names the label. */
function invokedOf(machine: AnyStateMachine, labelOf: (src: string, id: string | undefined) => string): Invoked[] {
  const found = nodesOf(machine).flatMap((node) =>
    node.invoke.map((invoke, index): Invoked => {
      const src: unknown = invoke.src;
      if (typeof src !== 'string' || src.startsWith('xstate.invoke.')) {
        throw new Rejection(`logic inside an invoke of state ${node.id}`, 'a label: side effects belong in a task');
      }
      // XState generates an id of this form if the author gave none.
      const given = invoke.id === `${index}.${node.id}` ? undefined : invoke.id;
      return { label: labelOf(src, given), src, input: invoke.input, at: node.id };
    }),
  );
  const places = new Map<string, string>();
  for (const { label, at } of found) {
    const other = places.get(label);
    if (other !== undefined)
      throw new Rejection(`label '${label}' in states ${other} and ${at}`, 'one state per label');
    places.set(label, at);
  }
  return found;
}

function kitLabels(machine: AnyStateMachine, meta: GraphMeta<Tasks>, hash: string, source: Source) {
  const invoked = new Map(invokedOf(machine, (src) => src).map((one) => [one.label, one]));
  for (const { label, at } of invoked.values()) {
    if (Object.hasOwn(meta.tasks, label)) continue;
    throw new Rejection(`label '${label}' in state ${at}`, `one of ${Object.keys(meta.tasks).join(', ')}`);
  }
  // A label that no state invokes may be spawned by the graph's own actions, with an input known only at run time.
  return new Map(
    policyLabels(meta).map(({ label, task, input, ...policies }) => {
      const isCompensation = policies.compensates !== undefined;
      const given = isCompensation ? input : invoked.get(label)?.input;
      const made = labelled(label, loadedTask(task, hash, source), given, isCompensation || invoked.has(label));
      return [label, { ...made, ...policies }] as const;
    }),
  );
}

function plainLabels(machine: AnyStateMachine, tasks: TaskLookup) {
  const invoked = invokedOf(machine, (src, id) => id ?? src);
  return new Map(
    invoked.map(({ label, src, input, at }) => {
      const task = tasks(src);
      if (task === undefined) throw new Rejection(`task '${src}' in state ${at}`, 'the name of a task in the library');
      return [label, labelled(label, task, input, true)] as const;
    }),
  );
}

/** Returns the label of a task. @param input of its invoke @throws Refusal */
export function labelled(label: string, task: Task, input: unknown, invoked: boolean): Label {
  if (reservedLabels.includes(label)) throw new Rejection(`label '${label}'`, 'a label that is not reserved');
  if (typeof input === 'function' || !invoked) return { label, task, overrides: {}, dynamic: true };
  if (input !== undefined && !isObject(input)) {
    throw new Rejection(`input ${shown(input)} of label '${label}'`, "an object with the task's options");
  }
  const overrides = input ?? {};
  const violations = staticViolations(task.schema, overrides);
  if (violations.length > 0) throw rejectDefinition(`label '${label}': input`, violations);
  return { label, task, overrides, dynamic: false };
}

/** Checks a graph's own options: existing labels, valid values. @throws Refusal */
export function checkOptions(options: Graph['options'], labels: ReadonlyMap<string, Label>): void {
  const violations = Object.entries(options).flatMap(([key, values = {}]) => {
    const at = (violation: { path: string; message: string }) => ({
      ...violation,
      path: `options.${key}.${violation.path}`,
    });
    if (key === 'defaults') return [...labels.values()].flatMap(({ task }) => defaultsViolations(task, values)).map(at);
    const found = labels.get(key);
    if (found !== undefined) return staticViolations(found.task.schema, values).map(at);
    const expected = [...labels.keys()].slice(0, 20).join(', ');
    return [{ path: `options.${key}`, message: `found no such label; expected defaults or one of ${expected}` }];
  });
  if (violations.length > 0) throw rejectDefinition('a graph', violations);
}

const defaultsViolations = (task: Task, values: JsonObject) => staticViolations(task.schema, known(task, values));

/** Returns those of the `defaults` that this task accepts. */
export const known = (task: Task, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key === '_taskTimeout' || knows(task.schema, key)));
