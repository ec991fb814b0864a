/**
 * Compiles graphs from XState machines: those made with the authoring kit, whose labels are the invokes' `src`, and
 * others, such as drawn ones (`drawn-machine.ts`).
 */
import { basename } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { type GraphMeta, graphMeta, type Tasks } from '../../define/graph.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { checkOptions, labelOf } from '../options/graph-labels.ts';
import { hashOf } from '../options/hash.ts';
import { Rejection, RejectionList, shownJson } from '../options/rejection.ts';
import type { Graph, Source, TaskLookup } from '../types.ts';
import { type DrawnLabels, drawnLabels, drawnName, drawnTitle, isGraphName, runnableMachine } from './drawn-machine.ts';
import { shownExamples } from './graph-examples.ts';
import { invokesOf, labelledOnce } from './invokes.ts';
import { optionsWithTimeouts, policyLabels } from './label-policies.ts';
import { isMachine, loadedTask } from './loaded-task.ts';
import { checkActions, checkEnds, checkInitials } from './machine-checks.ts';
import { checkSize } from './machine-limits.ts';
import { checkReferences } from './machine-names.ts';
import { configPath } from './machine-nodes.ts';

const WHAT = 'a graph';

/**
 * @param hash of the file's bundled text
 * @param byPath the name by the path of the file, for a machine without one of its own
 * @throws Rejection with all that is wrong
 */
export function graphOf(
  exported: unknown,
  hash: string,
  tasks: TaskLookup,
  source: Source,
  byPath?: string | undefined,
): Graph {
  if (!isMachine(exported)) {
    throw new Rejection(
      shownJson(exported),
      'an XState machine as the default export, or as the only one that is exported',
    );
  }
  checkInitials(exported);
  checkSize(exported);
  const meta = graphMeta(exported);
  return meta === undefined
    ? drawnGraph(exported, hash, tasks, source, byPath)
    : kitGraph(exported, meta, hash, source);
}

function kitGraph(machine: AnyStateMachine, meta: GraphMeta<Tasks>, hash: string, source: Source): Graph {
  const rejections = new RejectionList();
  const name = rejections.try(() => kitName(machine, meta));
  rejections.try(() => checkActions(machine));
  rejections.try(() => checkReferences(machine, WHAT));
  rejections.try(() => checkEnds(machine));
  const labels = rejections.try(() => kitLabels(machine, meta, hash, source));
  const options = rejections.try(() => optionsWithTimeouts(meta));
  if (labels !== undefined && options !== undefined) rejections.try(() => checkOptions(options, labels));
  const examples = rejections.try(() => shownExamples(meta)) ?? [];
  rejections.throw(WHAT);
  const { friendlyName } = meta;
  const graphHead = { name, friendlyName, labels, options } as Pick<
    Graph,
    'name' | 'friendlyName' | 'labels' | 'options'
  >;
  return {
    ...graphHead,
    kind: 'machine',
    machine,
    source,
    hash,
    definition: { ...definitionOf(graphHead, source), ...(examples.length > 0 && { examples }) },
    labelOf: (src) => src,
  };
}

function drawnGraph(
  exported: AnyStateMachine,
  hash: string,
  tasks: TaskLookup,
  source: Source,
  byPath: string | undefined,
): Graph {
  const rejections = new RejectionList();
  const name = rejections.try(() => drawnName(exported, byPath));
  const machine = rejections.try(() => runnableMachine(exported)) ?? exported;
  rejections.try(() => checkActions(machine));
  rejections.try(() => checkReferences(machine, WHAT));
  rejections.try(() => checkEnds(machine));
  const drawing = machine === exported ? undefined : rejections.try(() => drawnLabels(exported, hash, tasks, source));
  rejections.throw(WHAT);
  const { labels, labelOf } = drawing as DrawnLabels;
  const graphName = name as string;
  const graphHead = { name: graphName, friendlyName: drawnTitle(exported, graphName), labels, options: {} };
  // The file does not contain the tasks, so their hashes are part of its own; so is a name that the path gives.
  const used = [...labels.values()].map(({ task }) => task.hash);
  const isByPath = graphName === byPath && graphName !== exported.config.id;
  return {
    ...graphHead,
    kind: 'machine',
    machine,
    source,
    hash: hashOf({ hash, used, ...(isByPath && { name: graphName }) }),
    definition: definitionOf(graphHead, source),
    labelOf,
  };
}

function definitionOf(
  { name, friendlyName, options, labels }: Pick<Graph, 'name' | 'friendlyName' | 'options' | 'labels'>,
  source: Source,
): Graph['definition'] {
  const tasks = [...labels.values()].map(({ label, task, retry, compensates }) => ({
    label,
    taskName: task.name,
    ...(retry !== undefined && { retry }),
    ...(compensates !== undefined && { compensates }),
  }));
  const file = source.kind === 'file' ? { file: basename(source.file) } : {};
  return { friendlyName, injectableName: name, options, tasks, ...file };
}

function kitName({ config }: AnyStateMachine, { injectableName }: GraphMeta<Tasks>): string {
  const name: unknown = injectableName;
  const id: unknown = config.id;
  if (!isGraphName(name)) {
    throw new Rejection(`injectableName ${shownJson(name)}`, "a name that starts with 'Graph.'", {
      place: 'injectableName',
    });
  }
  if (id !== undefined && id !== name) {
    throw new Rejection(`id ${shownJson(id)} with injectableName '${name}'`, 'the same name in both places', {
      place: 'id',
    });
  }
  return name;
}

function kitLabels(machine: AnyStateMachine, meta: GraphMeta<Tasks>, hash: string, source: Source): Graph['labels'] {
  const rejections = new RejectionList();
  const invokes = labelledOnce(invokesOf(machine).map((invoke) => ({ ...invoke, label: invoke.src })));
  const invoked = new Map(invokes.map((one) => [one.label, one]));
  for (const { label, node } of invokes) {
    rejections.try(() => {
      if (Object.hasOwn(meta.tasks, label)) return;
      const where = { place: `${configPath(node)}.invoke` };
      const labels = Object.keys(meta.tasks);
      const expected = `a label of tasks: ${labels.join(', ')}${didYouMean(label, labels)}`;
      throw new Rejection(`label '${label}' in state ${node.id}`, expected, where);
    });
  }
  const policies = rejections.try(() => policyLabels(meta)) ?? [];
  // A label that no state invokes may be spawned by the graph's own actions, with an input known only at run time.
  const labels = policies.flatMap(({ label, task, input, ...more }) => {
    const isCompensation = more.compensates !== undefined;
    const given = isCompensation ? input : invoked.get(label)?.input;
    const make = () => labelOf(label, loadedTask(task, hash, source), given, isCompensation || invoked.has(label));
    const builtLabel = rejections.try(make);
    return builtLabel === undefined ? [] : [[label, { ...builtLabel, ...more }] as const];
  });
  rejections.throw(WHAT);
  return new Map(labels);
}
