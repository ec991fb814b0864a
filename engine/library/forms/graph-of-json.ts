/** Compiles a graph whose machine is JSON, with the tasks of the library. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { graphError } from '../../define/fail-to.ts';
import { placeholder } from '../../define/placeholder.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { checkOptions, labelOf, noTask } from '../options/graph-labels.ts';
import { hashOf } from '../options/hash.ts';
import { Rejection, RejectionList, rejectDefinition } from '../options/rejection.ts';
import { weighDefinition } from '../options/schema-limits.ts';
import type { Graph, Label, Source, TaskLookup } from '../types.ts';
import { checkEnds, checkInitials } from './machine-checks.ts';
import { KEEP_ERROR, KEEP_OUTPUT, type MachineJson, type MachineReading, readMachineJson } from './machine-json.ts';
import { checkSize } from './machine-limits.ts';
import { nodesOf } from './machine-nodes.ts';
import { wrongTargets } from './machine-targets.ts';

/**
 * Its context has the output of each `src` under its name, and the first error that an `onError` has taken in `error`;
 * so templates and the error of the workflow are those of a list of tasks.
 *
 * @throws Rejection with every violation
 */
export function graphOfJson(put: unknown, tasks: TaskLookup, source: Source): Graph {
  const rejections = new RejectionList();
  const reading = readMachineJson(structuredClone(put), rejections);
  const { json } = reading;
  weighDefinition(json);
  const machine = machineOf(reading);
  checkSize(machine);
  rejections.try(() => checkEnds(machine));
  const labels = labelsOf(reading, machine, tasks, rejections);
  const options = json.options ?? {};
  const rejected = new Set([...reading.tasks.keys()].filter((label) => !labels.has(label)));
  rejections.try(() => checkOptions(options, labels, rejected));
  rejections.throw('a graph');
  return {
    name: json.injectableName,
    friendlyName: json.friendlyName,
    hash: hashOf({ json, used: inTableOrder(labels, json).map(({ task }) => task.hash) }),
    kind: 'machine',
    machine,
    labels,
    options,
    definition: json,
    source,
    labelOf: (src) => src,
  };
}

/** Stored versions have hashes in the order of the table. */
function inTableOrder(labels: ReadonlyMap<string, Label>, { tasks = {} }: MachineJson): Label[] {
  const listed = Object.keys(tasks).flatMap((src) => labels.get(src) ?? []);
  return [...listed, ...[...labels.values()].filter((label) => !listed.includes(label))];
}

function rejectWrongTargets({ machine }: MachineJson): void {
  const violations = wrongTargets(machine, 'machine');
  if (violations.length > 0) throw rejectDefinition('a graph', violations);
}

function machineOf({ json, config, tasks }: MachineReading): AnyStateMachine {
  const labels = [...tasks.keys()];
  const outputs = ({ context }: { context: Record<string, unknown> }) =>
    Object.fromEntries(labels.filter((label) => Object.hasOwn(context, label)).map((label) => [label, context[label]]));
  const kit = setup({
    types: {} as { context: Record<string, unknown> },
    actors: Object.fromEntries(labels.map((label) => [label, placeholder])),
    actions: {
      [KEEP_OUTPUT]: assign(({ event }) => ({ [labelIn(event)]: 'output' in event ? event.output : null })),
      [KEEP_ERROR]: assign(({ context, event }) => ({
        error: context.error ?? graphError('error' in event ? event.error : undefined),
      })),
    },
  });
  try {
    const machine = kit.createMachine({ output: outputs, ...config } as Parameters<typeof kit.createMachine>[0]);
    checkInitials(machine);
    return machine;
  } catch (error) {
    rejectWrongTargets(json);
    throw new Rejection(
      `a machine that XState does not accept (${messageOf(error)})`,
      'a configuration of createMachine',
    );
  }
}

/** The event of the end of an invoke has its id last, which is its label. */
const labelIn = ({ type }: { type: string }): string => type.slice('xstate.done.actor.'.length);

/** Returns the labels with a valid task. @param rejections receives the others */
function labelsOf({ tasks }: MachineReading, machine: AnyStateMachine, lookup: TaskLookup, rejections: RejectionList) {
  const inputs = new Map(
    nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ src, input }): [unknown, unknown] => [src, input])),
  );
  const labels = new Map<string, Label>();
  for (const [label, name] of tasks) {
    const task = lookup(name);
    const labelOfEntry = rejections.try(() => {
      if (task !== undefined) return labelOf(label, task, inputs.get(label), true);
      const message = noTask(name, lookup);
      throw rejectDefinition('a graph', [{ path: `tasks.${label}`, message }]);
    });
    if (labelOfEntry !== undefined) labels.set(label, labelOfEntry);
  }
  return labels;
}
