/** Compiles a graph whose machine is JSON, with the tasks of the library. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { graphError } from '../define/fail-to.ts';
import { placeholder } from '../define/placeholder.ts';
import { messageOf } from '../define/thrown.ts';
import { hashOf } from './hash.ts';
import { nodesOf } from './loaded-task.ts';
import { checkOptions, labelled } from './machine.ts';
import { checkEnds } from './machine-checks.ts';
import { KEEP_ERROR, KEEP_OUTPUT, type MachineConfig, type MachineJson, readMachineJson } from './machine-json.ts';
import { Rejection, rejectDefinition } from './rejection.ts';
import { weighDefinition } from './schema-limits.ts';
import type { Graph, Label, Source, TaskLookup } from './types.ts';

/**
 * Its context has the output of each `src` under its name, and the first error that an `onError` has taken in `error`;
 * so templates and the error of the workflow are those of a list of tasks.
 *
 * @throws Rejection with every violation
 */
export function graphOfJson(put: unknown, tasks: TaskLookup, source: Source): Graph {
  const { json, config } = readMachineJson(structuredClone(put));
  weighDefinition(json);
  const machine = machineOf(config, json);
  checkEnds(machine);
  const labels = labelsOf(json, machine, tasks);
  const options = json.options ?? {};
  checkOptions(options, labels);
  return {
    name: json.injectableName,
    friendlyName: json.friendlyName,
    hash: hashOf({ json, used: [...labels.values()].map(({ task }) => task.hash) }),
    kind: 'machine',
    machine,
    labels,
    options,
    definition: json,
    source,
    labelOf: (src) => src,
  };
}

function machineOf(config: MachineConfig, { tasks }: MachineJson): AnyStateMachine {
  const sources = Object.keys(tasks);
  const outputs = ({ context }: { context: Record<string, unknown> }) =>
    Object.fromEntries(sources.filter((src) => Object.hasOwn(context, src)).map((src) => [src, context[src]]));
  const kit = setup({
    types: {} as { context: Record<string, unknown> },
    actors: Object.fromEntries(sources.map((src) => [src, placeholder])),
    actions: {
      [KEEP_OUTPUT]: assign(({ event }) => ({ [srcOf(event)]: 'output' in event ? event.output : null })),
      [KEEP_ERROR]: assign(({ context, event }) => ({
        error: context.error ?? graphError('error' in event ? event.error : undefined),
      })),
    },
  });
  try {
    return kit.createMachine({ output: outputs, ...config } as Parameters<typeof kit.createMachine>[0]);
  } catch (error) {
    throw new Rejection(
      `a machine that XState does not accept (${messageOf(error)})`,
      'a configuration of createMachine',
    );
  }
}

/** The event of the end of an invoke has its id last. */
const srcOf = ({ type }: { type: string }): string => type.slice('xstate.done.actor.'.length);

function labelsOf(json: MachineJson, machine: AnyStateMachine, tasks: TaskLookup): Map<string, Label> {
  const inputs = new Map(
    nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ src, input }): [unknown, unknown] => [src, input])),
  );
  const found = Object.entries(json.tasks).map(([src, name]) => ({ src, name, task: tasks(name) }));
  const violations = found.flatMap(({ src, name, task }) => {
    const message = `found '${name}', which is not a task of the library; expected the name of a task`;
    return task === undefined ? [{ path: `tasks.${src}`, message }] : [];
  });
  if (violations.length > 0) throw rejectDefinition('a graph', violations);
  return new Map(
    found.flatMap(({ src, task }) => (task ? [[src, labelled(src, task, inputs.get(src), true)] as const] : [])),
  );
}
