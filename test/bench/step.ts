/**
 * CPU time of the pure step, without store or queue: a chain of five tasks that do nothing, as a list of tasks and as a
 * drawn machine; and the step that cancels a thousand tasks. A step is a launch or the end of an activity, and includes
 * the work on the row.
 */
import { randomUUID } from 'node:crypto';
import { defineGraph } from '../../engine/define/index.ts';
import type { StartCommand } from '../../engine/durable/actors/messages.ts';
import type { Env } from '../../engine/durable/step/builder.ts';
import { launch, step } from '../../engine/durable/step/workflow.ts';
import { graphOfList } from '../../engine/library/forms/list-of-tasks.ts';
import { loadedTask } from '../../engine/library/forms/loaded-task.ts';
import { graphOf } from '../../engine/library/forms/machine.ts';
import type { Graph } from '../../engine/library/types.ts';
import noop from '../../tasks/noop.ts';
import { type Figure, median, most } from './figure.ts';
import { chain } from './ours.ts';
import { STEPS } from './rounds.ts';

const WARM_UP = 500;
const ROUNDS = 5;
const RUNS = 400;
/** A square of their number would take seconds. */
const PARALLEL = 1_000;
const source = { kind: 'api' } as const;

const task = loadedTask(noop, 'noop', source);
const lookup = (name: string) => (name === task.name ? task : undefined);

const list = (): Graph => graphOfList(chain(STEPS), { any: lookup, code: lookup }, source);

function drawn(): Graph {
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Bench.Drawn',
    friendlyName: 'Drawn',
    tasks: { t1: noop, t2: noop, t3: noop, t4: noop, t5: noop },
  });
  const machine = createMachine({
    id: 'Graph.Bench.Drawn',
    initial: 's1',
    states: {
      s1: { invoke: { src: 't1', onDone: 's2' } },
      s2: { invoke: { src: 't2', onDone: 's3' } },
      s3: { invoke: { src: 't3', onDone: 's4' } },
      s4: { invoke: { src: 't4', onDone: 's5' } },
      s5: { invoke: { src: 't5', onDone: 'done' } },
      done: { type: 'final' },
    },
  });
  return graphOf(machine, 'drawn', lookup, source);
}

const parallel = (): Graph => {
  const tasks = Array.from({ length: PARALLEL }, (_, n) => ({ label: `t${n}`, taskName: task.name }));
  const put = { injectableName: 'Graph.Bench.Parallel', friendlyName: 'Parallel', tasks };
  return graphOfList(put, { any: lookup, code: lookup }, source);
};

function startOf(graph: Graph, env: Env): StartCommand {
  const id = env.uuid();
  return {
    id,
    graphName: graph.name,
    definitionHash: graph.hash,
    node: id,
    mailboxId: id,
    domain: 'default',
    operator: null,
    encrypted: false,
    options: {},
    bindings: { env: {}, api: { server: 'http://127.0.0.1:9080', base: 'http://127.0.0.1:9080/api/current' } },
    parent: null,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    createdAt: new Date(env.now).toISOString(),
  };
}

/** Runs a workflow to its end. @returns the number of its steps */
function run(graph: Graph, env: Env): number {
  let row = launch(startOf(graph, env), graph, env);
  for (let steps = 1; ; steps += 1) {
    const [operation] = Object.keys(row.operations);
    if (operation === undefined) {
      if (row.status !== 'succeeded') throw new Error(`found a workflow that ${row.status}, expected succeeded`);
      return steps;
    }
    // Its effects are executed between steps.
    const before = { ...row, pendingEffects: [] };
    row = step(before, graph, { type: 'work.done', operation, output: {} }, env).row;
  }
}

/** Returns the CPU time in ms of the step that cancels a workflow of many open tasks, the median of several rounds. */
function cancelled(graph: Graph): number {
  const env: Env = { now: Date.now(), uuid: randomUUID };
  const rounds = Array.from({ length: ROUNDS }, () => {
    const row = { ...launch(startOf(graph, env), graph, env), pendingEffects: [] };
    const from = process.cpuUsage();
    step(row, graph, { type: 'cancel' }, env);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  return median(rounds);
}

/** Returns the CPU time of a step in µs, the median of several rounds. */
function measured(graph: Graph): number {
  const env: Env = { now: Date.now(), uuid: randomUUID };
  for (let n = 0; n < WARM_UP; n += 1) run(graph, env);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const from = process.cpuUsage();
    let steps = 0;
    for (let n = 0; n < RUNS; n += 1) steps += run(graph, env);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / steps;
  });
  return median(rounds);
}

export const stepCost: Figure = async () => [
  { name: 'list of tasks, CPU', value: measured(list()), unit: 'µs/step', goal: most(20) },
  { name: 'drawn machine, CPU', value: measured(drawn()), unit: 'µs/step', goal: most(50) },
  { name: '1,000 parallel tasks, cancel, CPU', value: cancelled(parallel()), unit: 'ms', goal: most(100) },
];
