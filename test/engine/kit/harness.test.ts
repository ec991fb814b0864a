/** The harness finds what is broken, and says where. */
import test from 'ava';
import { defineGraph, FAILED } from '../../../engine/define/index.ts';
import type { Operation, TaskEntry } from '../../../engine/durable/step/row.ts';
import { Course } from '../../../engine/kit/course.ts';
import { violationsAtEnd } from '../../../engine/kit/end-properties.ts';
import { examineGraph } from '../../../engine/kit/harness.ts';
import { harness } from '../../../engine/kit/index.ts';
import { graphOf } from '../../../engine/library/forms/machine.ts';
import writeOnce from '../../../fixtures/tasks/write-once.ts';
import noop from '../../../tasks/noop.ts';
import shell from '../../../tasks/shell-command.ts';

const { createMachine: make } = defineGraph({
  injectableName: 'Graph.Tested',
  friendlyName: 'Tested',
  tasks: { first: noop, second: { task: shell, compensate: { task: noop } }, third: noop },
});

/** @param onError of the third task */
const machine = (onError: string | undefined) =>
  make({
    id: 'Graph.Tested',
    initial: 'one',
    states: {
      one: { invoke: { src: 'first', onDone: 'two' } },
      two: { invoke: { src: 'second', input: { command: '/x' }, onDone: 'three' } },
      three: { invoke: { src: 'third', onDone: 'done', ...(onError !== undefined && { onError }) } },
      stuck: {},
      done: { type: 'final' },
      failed: { type: 'final', tags: [FAILED] },
    },
  });

const compiled = (onError?: string) => graphOf(machine(onError), 'h', () => undefined, { kind: 'api' });

test('it counts what it tried and what passed', async (t) => {
  const result = await harness(machine('failed'));
  t.is(result.graph, 'Graph.Tested');
  t.is(result.calls, 3);
  t.deepEqual(result.failures, { tried: 3, passed: 3 });
  t.deepEqual(result.cancels, { tried: 3, passed: 3 });
  t.deepEqual(result.kills, { tried: 3, passed: 3 });
  t.true(result.repeats.tried > 5);
  t.deepEqual(result.problems, []);
});

test('a failure that leads to a state without a way out is an error, with the path to it', async (t) => {
  const { message } = (await t.throwsAsync(harness(machine('stuck')))) as Error;
  t.is(
    message,
    'Graph.Tested: the workflow does not end\n  launched\n  first succeeds\n  second succeeds\n  third fails',
  );
  const { failures, problems } = examineGraph(compiled('stuck'));
  t.deepEqual(failures, { tried: 3, passed: 2 });
  t.is(problems[0]?.kind, 'failures');
});

test('a graph that does not end although all goes well is an error that says so', async (t) => {
  const { createMachine: of } = defineGraph(
    { injectableName: 'Graph.Waits', friendlyName: 'Waits', tasks: { ask: noop } },
    {} as { context: { ready: boolean } },
  );
  const polling = of({
    id: 'Graph.Waits',
    context: { ready: false },
    initial: 'asking',
    states: {
      asking: {
        invoke: { src: 'ask', onDone: [{ guard: ({ context }) => context.ready, target: 'done' }, { target: 'rest' }] },
      },
      rest: { after: { 10: 'asking' } },
      done: { type: 'final' },
    },
  });
  await t.throwsAsync(harness(polling), { message: /it does not end; name outputs in the examples of the graph/ });
});

test('a call of a task that runs once and begins twice is counted', (t) => {
  const play = new Course(compiled(), { options: {}, outputs: {} });
  play.step();
  const operation = play.nextStep?.operation as Operation;
  play.begin(operation);
  play.kill();
  const fork = play.fork();
  fork.begin(operation);
  t.deepEqual([...fork.begun.values()], [{ label: 'second', count: 1 }]);
  t.is(fork.row.error?.code, 'TASK_INTERRUPTED');
  // As if the claim had been lost.
  for (const open of Object.values(play.row.operations)) delete open.claim;
  play.begin(operation);
  t.deepEqual([...play.begun.values()], [{ label: 'second', count: 2 }]);
});

test('each violation of an ended workflow is a sentence', (t) => {
  const play = new Course(compiled('failed'), { options: {}, outputs: {} });
  t.deepEqual(violationsAtEnd(play), ['the workflow does not end']);
  t.true(play.finish());
  t.deepEqual(violationsAtEnd(play), []);
  play.row.timers = { x: { actor: 'graph', event: { type: 'x' }, at: 1 } };
  play.pendingEffects.push(...play.pendingEffects);
  play.effects.length = 0;
  const cause = { kind: 'engine', ref: null } as const;
  const line = { version: 1, at: '', event: 'task.pending', label: 'first', cause };
  play.history.push({ ...line, from: 'succeeded', to: 'pending' });
  play.row.tasks[0] = { ...(play.row.tasks[0] as TaskEntry), state: 'running' };
  t.deepEqual(violationsAtEnd(play), [
    'it has ended, and these tasks are active: first',
    'it has ended, and operations or timers are left',
    "it published 'started' 2 times",
    "it published 'finished' 2 times",
    'it released its node 0 times',
    'the task first went from succeeded to pending',
  ]);
});

test('compensations in a wrong order, or missing, are a violation', (t) => {
  const play = new Course(compiled('failed'), { options: {}, outputs: {} });
  for (const _ of [1, 2]) play.step();
  const operation = play.nextStep?.operation as Operation;
  play.fail(operation, 'X');
  t.true(play.finish());
  t.deepEqual(violationsAtEnd(play), []);
  const kept = play.history.filter(({ label }) => label !== 'compensate-second');
  play.history.splice(0, Number.POSITIVE_INFINITY, ...kept);
  t.deepEqual(violationsAtEnd(play), ['compensations: found (none); expected compensate-second']);
});

test('a call that runs once and that its graph begins again after an interruption is found', async (t) => {
  const { createMachine: of } = defineGraph({
    injectableName: 'Graph.Again',
    friendlyName: 'Again',
    tasks: { write: writeOnce },
  });
  const again = (onError: string) =>
    of({
      id: 'Graph.Again',
      initial: 'writing',
      states: {
        writing: { invoke: { src: 'write', onDone: 'done', onError } },
        resting: { after: { 10: 'writing' } },
        done: { type: 'final' },
        failed: { type: 'final', tags: [FAILED] },
      },
    } as never);
  await t.throwsAsync(harness(again('resting')), {
    message: /begins 'write', which runs once, again after an interruption/,
  });
  await t.notThrowsAsync(harness(again('failed')));
});

for (const [what, guard] of Object.entries({
  'counts its calls': (() => {
    let calls = 0;
    return () => {
      calls += 1;
      return calls % 2 === 0;
    };
  })(),
  'draws lots': () => Math.random() < 0.5,
  'looks at the clock': () => Date.now() < Date.parse('2050-01-01'),
})) {
  test(`a guard that ${what} is not pure`, async (t) => {
    const { createMachine: of } = defineGraph({
      injectableName: 'Graph.Lots',
      friendlyName: 'Lots',
      tasks: { first: noop },
    });
    const machine = of({
      id: 'Graph.Lots',
      initial: 'a',
      states: {
        a: { invoke: { src: 'first', onDone: [{ guard, target: 'b' }, { target: 'c' }], onError: 'c' } },
        b: { type: 'final' },
        c: { type: 'final', tags: [FAILED] },
      },
    } as never);
    await t.throwsAsync(harness(machine), { message: /the graph's code is not pure: the same step led to/ });
  });
}
