/** Properties over every built-in graph and every fixture: pure steps, in any order that the environment may cause. */
import test from 'ava';
import fc from 'fast-check';
import { type AnyStateMachine, createMachine } from 'xstate';
import type { WorkflowMessage } from '../../../../engine/durable/actors/messages.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import { forbiddenSteps, violationsAtEnd } from '../../../../engine/kit/end-properties.ts';
import { harness } from '../../../../engine/kit/harness.ts';
import { launchSamples, type Sample } from '../../../../engine/kit/launch-samples.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { watchStates } from '../../../../engine/kit/visited-states.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';
import { everyGraph, includedGraphs } from '../../../support/data/catalogue.ts';
import { watchLabels } from '../../../support/data/label-coverage.ts';

const STEPS_LIMIT = 200;
/** Workflows whose unreached states and labels are reported. */
const EXPLORED = 100;
const MOVES = 40;

type Move = { kind: string; which: number };

/** The possible next inputs; the numbers choose among them. */
const move = fc.record({
  kind: fc.constantFrom('done', 'done', 'done', 'fail', 'timer', 'repeat', 'cancel'),
  which: fc.nat(100),
});

/** The output that the graph's examples name for the label of this operation, or none. */
function outputOf(run: Run, { outputs }: Sample, operation: Operation, which: number): unknown {
  const label = run.row.actors[`taskRun:${operation.taskRun}`]?.label ?? '';
  const choices = outputs[label] ?? [];
  return choices[which % (choices.length + 1)] ?? { which };
}

function play(run: Run, sample: Sample, kind: string, which: number, said: WorkflowMessage[]): void {
  const operation = run.operations[which % Math.max(1, run.operations.length)];
  const say = (message: WorkflowMessage) => {
    said.push(message);
    run.send(message);
  };
  if (kind === 'cancel') say({ type: 'cancel' });
  else if (kind === 'repeat' && said.length > 0) run.send(said[which % said.length] as WorkflowMessage);
  else if (kind === 'timer' || operation === undefined) run.fireTimer();
  else if (kind === 'fail')
    say({ type: 'work.failed', operation: operation.id, error: { name: 'E', message: 'm', code: 'C' } });
  else say({ type: 'work.done', operation: operation.id, output: outputOf(run, sample, operation, which) });
}

/** All goes well from here on, as in the example. @returns false when nothing can proceed */
function finish(run: Run, sample: Sample): boolean {
  for (let n = 0; isActive(run.row.status) && n < STEPS_LIMIT; n += 1) {
    const [operation] = run.operations;
    if (operation === undefined ? !run.fireTimer() : !run.done(operation, outputOf(run, sample, operation, 0)))
      return false;
  }
  return !isActive(run.row.status);
}

/** Plays the inputs, then all goes well. @returns undefined when it never ends */
function ending(graph: Graph, sample: Sample, moves: readonly Move[], isSerialized = true): Run | undefined {
  const run = new Run(graph, sample.options);
  run.isSerialized = isSerialized;
  const said: WorkflowMessage[] = [];
  for (const { kind, which } of moves) play(run, sample, kind, which, said);
  return finish(run, sample) ? run : undefined;
}

/** The same workflows in each run: the states that they reach do not depend on chance. */
const explored = fc.sample(fc.array(move, { maxLength: MOVES }), { numRuns: EXPLORED, seed: 1 });

for (const graph of everyGraph) {
  const samples = launchSamples(graph);
  const sampled = fc.constantFrom(...samples);

  test(`${graph.name}: its examples reach every state and every label`, (t) => {
    const unreached = watchStates(graph.machine);
    const labels = watchLabels(graph);
    for (const sample of samples) {
      for (const moves of explored) {
        const run = ending(graph, sample, moves, false);
        if (run === undefined) return t.fail('it does not end');
        labels.see(run.row);
        if (includedGraphs.includes(graph)) t.deepEqual(openWaits(run), [], 'what is sent to all nodes ends no wait');
      }
    }
    const advice =
      'give the graph an example with options or outputs that lead there, or remove what cannot be reached';
    t.deepEqual({ states: unreached(), labels: labels.missing() }, { states: [], labels: [] }, advice);
  });

  test(`${graph.name}: every order of inputs ends it once, and no task stays active`, (t) => {
    fc.assert(
      fc.property(sampled, fc.array(move, { maxLength: MOVES }), (sample, moves) => {
        const run = ending(graph, sample, moves);
        if (run === undefined) return false;
        return violationsAtEnd(run).length === 0;
      }),
      { numRuns: 30 },
    );
    t.pass();
  });

  test(`${graph.name}: a dead end instead of one of its ends would be found`, (t) => {
    const ends = Object.entries(graph.machine.root.states).filter(([, { type }]) => type === 'final');
    if (graph.kind === 'machine') t.true(ends.length > 0);
    for (const [name] of graph.kind === 'machine' ? ends : []) {
      const broken = { ...graph, machine: withDeadEnd(graph.machine, name) };
      t.true(
        samples.some((sample) => explored.some((moves) => ending(broken, sample, moves, false) === undefined)),
        name,
      );
    }
    t.pass();
  });

  test(`${graph.name}: its tasks make only permitted state changes`, (t) => {
    fc.assert(
      fc.property(sampled, fc.array(move, { maxLength: MOVES }), (sample, moves) => {
        const run = new Run(graph, sample.options);
        for (const { kind, which } of moves) play(run, sample, kind, which, []);
        return forbiddenSteps(run).length === 0;
      }),
      { numRuns: 20 },
    );
    t.pass();
  });

  test(`${graph.name}: each call fails, each message repeats, it is cancelled and killed before each step`, async (t) => {
    const { calls, failures, repeats, cancels, kills, problems } = await harness(graph);
    t.deepEqual(problems, []);
    t.true(calls > 0);
    for (const { tried, passed } of [failures, repeats, cancels, kills]) t.true(tried > 0 && passed === tried);
  });
}

/** @returns the waits for a notification that a broadcast can end */
const openWaits = ({ effects }: Run): unknown[] =>
  effects.filter(
    (effect) => effect.kind === 'send-to-node' && effect.message.type === 'await' && effect.message.broadcast !== false,
  );

/** The machine with one state that no longer ends. */
function withDeadEnd(machine: AnyStateMachine, name: string): AnyStateMachine {
  const { states, ...config } = machine.config as { states: Record<string, { id?: string }> };
  const id = states[name]?.id;
  const make = createMachine as (config: object, implementations: object) => AnyStateMachine;
  return make({ ...config, states: { ...states, [name]: id === undefined ? {} : { id } } }, machine.implementations);
}
