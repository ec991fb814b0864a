/** Simulated workflows: their course, the ends of their calls, and the errors of their use. */
import test from 'ava';
import { createMachine } from 'xstate';
import { defineGraph, defineTask, FAILED, failTo, type GraphError, Type } from '../../../engine/define/index.ts';
import { recordingOf, simulate } from '../../../engine/kit/index.ts';
import lsblk from '../../../tasks/catalog-lsblk.ts';
import graphRun from '../../../tasks/graph-run.ts';
import noop from '../../../tasks/noop.ts';
import shell from '../../../tasks/shell-command.ts';
import sleep from '../../../tasks/sleep.ts';
import waitNotification from '../../../tasks/wait-notification.ts';
import { retried } from '../../support/engine/tasks.ts';

const optionsSchema = Type.Object({ disk: Type.String() }, { additionalProperties: false });
const format = defineTask({
  injectableName: 'Task.Test.Format',
  friendlyName: 'Format',
  recovery: 'once',
  optionsSchema,
  run: async () => ({ formatted: true }),
});

interface Context {
  ip: unknown;
  error: GraphError | null;
}

const { createMachine: make } = defineGraph(
  {
    injectableName: 'Graph.BurnIn',
    friendlyName: 'Burn in',
    tasks: {
      disks: { task: retried, retry: { attempts: 3, delayMs: 1_000, factor: 1 } },
      back: { task: waitNotification, timeoutMs: 4 * 3_600_000 },
      nap: sleep,
      format,
      check: graphRun,
      undo: { task: noop, compensate: { task: noop } },
    },
    options: { nap: { duration: 60_000 }, format: { disk: 'sda' }, check: { graphName: 'Graph.Check' } },
    examples: [{ outputs: { check: [{ workflowId: 'w', output: { good: true } }] } }],
  },
  {} as { context: Context },
);

const burnIn = make({
  id: 'Graph.BurnIn',
  context: { ip: null, error: null },
  initial: 'undoable',
  states: {
    undoable: { invoke: { src: 'undo', onDone: 'burning', onError: failTo('failed') } },
    burning: { invoke: { src: 'disks', onDone: 'waiting', onError: failTo('failed') } },
    waiting: { invoke: { src: 'back', onDone: 'napping', onError: failTo('failed') } },
    napping: { invoke: { src: 'nap', onDone: 'formatting' } },
    formatting: { invoke: { src: 'format', onDone: 'checking', onError: failTo('failed') } },
    checking: { invoke: { src: 'check', onDone: 'done', onError: failTo('failed') } },
    done: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
});

test('calls end as given, retries wait, a notification continues it, and time passes only when asked', (t) => {
  const run = simulate(burnIn, { ends: { disks: ['fail', 'fail', 'ok'] } });
  t.is(run.status, 'running');
  run.until('waiting');
  t.is(run.value, 'waiting');
  t.is(run.elapsedMs, 2_000);
  t.like(run.tasks.disks, { state: 'succeeded', attempts: 3 });
  run.notify({ ip: '10.1.1.7' });
  t.is(run.value, 'napping');
  run.advance('59s');
  t.is(run.value, 'napping');
  run.advance('1h');
  t.is(run.status, 'succeeded');
  t.deepEqual(run.tasks.back?.output, { ip: '10.1.1.7' });
  t.is(run.error, null);
});

test('the trace has relative times, no ids and no dates, and is the same each time', (t) => {
  const traced = () => {
    const run = simulate(burnIn, { ends: { disks: ['fail', 'ok'] } }).until('back');
    return run.notify({ ip: '10.1.1.7' }).until().trace;
  };
  const trace = traced();
  t.deepEqual(trace, traced());
  t.true(trace.includes('0ms disks: running -> waiting (attempt 1, TASK_FAILED: the call failed)'), trace.join('\n'));
  t.true(trace.includes('1s disks: waiting -> running (attempt 2)'));
  t.true(trace.includes('1s > notify {"ip":"10.1.1.7"}'));
  t.true(trace.includes('1s graph: waiting -> napping'));
  t.true(trace.includes('1m 1s workflow: running -> succeeded'));
  t.false(/\d{4}-\d\d|[0-9a-f]{8}-/.test(trace.join('\n')));
});

test('a label or a state can be the goal; without one it is the end', (t) => {
  const run = simulate(burnIn).until('disks');
  t.is(run.value, 'burning');
  t.is(run.tasks.disks?.state, 'running');
  run.fail('disks', 'DISK_BROKEN').until('burning').advance(1_000);
  t.is(run.tasks.disks?.state, 'succeeded');
  run.until('waiting').done('back', { ip: 'x' }).until();
  t.is(run.status, 'succeeded');
});

test('a failure fails the workflow with its code, and compensations run', (t) => {
  const run = simulate(burnIn, { ends: { format: { fail: 'DISK_BROKEN', message: 'sda is broken' } } });
  run.until('waiting').notify().until();
  t.like(run.error, { code: 'DISK_BROKEN', message: 'sda is broken' });
  t.is(run.status, 'failed');
  t.is(run.tasks['compensate-undo']?.state, 'succeeded');
});

test('a wait ends by its timeout when its time has passed, and not before', (t) => {
  const run = simulate(burnIn).until('back').advance('3h 59m');
  t.is(run.tasks.back?.state, 'waiting');
  t.is(run.advance('2m').tasks.back?.state, 'timeout');
  t.is(run.status, 'failed');
  t.is(run.error?.code, 'TASK_TIMEOUT');
});

test('a cancel stops the tasks and undoes what was done', (t) => {
  const run = simulate(burnIn).until('back').notify().until('format').cancel().until();
  t.is(run.status, 'cancelled');
  t.is(run.tasks.format?.state, 'cancelled');
  t.is(run.tasks['compensate-undo']?.state, 'succeeded');
  t.throws(() => run.cancel(), { message: /has ended as cancelled/ });
});

test('a crash interrupts a task that runs once, and repeats others', (t) => {
  const once = simulate(burnIn).until('back').notify().until('format').crash().until();
  t.like(once.error, { code: 'TASK_INTERRUPTED' });
  const again = simulate(burnIn).until('disks').crash().until('waiting');
  t.is(again.tasks.disks?.state, 'succeeded');
});

test('a child graph is a call, whose output is that of its workflow', (t) => {
  const run = simulate(burnIn, { ends: { check: { output: { good: false } } } });
  run.until('waiting').notify().until();
  t.deepEqual(run.tasks.check?.output, { workflowId: 'child', output: { good: false } });
  const usual = simulate(burnIn).answering([]);
  t.deepEqual(usual.tasks.check?.output, { workflowId: 'w', output: { good: true } }, 'as the example says');
});

test('the commands of a task end with the results that the recorded node gave', (t) => {
  const { createMachine: of } = defineGraph({
    injectableName: 'Graph.Cat',
    friendlyName: 'Cat',
    tasks: { cat: lsblk },
  });
  const graph = of({
    id: 'Graph.Cat',
    initial: 'a',
    states: { a: { invoke: { src: 'cat', onDone: 'b' } }, b: { type: 'final' } },
  });
  const result = { exitCode: 0, stdout: '{}' };
  const node = recordingOf({
    node: { type: 'compute', name: 'n' },
    catalogs: [],
    sku: null,
    workflows: [
      {
        createdAt: '1',
        tasks: [{ taskName: 'Task.Catalog.lsblk', state: 'succeeded', output: { results: [result] }, finishedAt: '1' }],
      },
    ],
  });
  t.deepEqual(simulate(graph, { node }).until().tasks.cat?.output, { results: [result] });
});

const list = {
  friendlyName: 'List',
  injectableName: 'Graph.List',
  tasks: [
    { label: 'a', taskName: 'Task.noop' },
    { label: 'b', taskName: 'Task.Test.Format', optionOverrides: { disk: 'sdb' }, waitOn: { a: 'succeeded' } },
    { label: 'c', taskName: 'Task.noop', waitOn: { b: 'failed' } },
  ],
};

test('a list of tasks, a machine as JSON and a plain machine are simulated with own tasks', (t) => {
  const tasks = [noop, format];
  const run = simulate(list, { tasks, ends: { b: 'fail' } }).until();
  t.is(run.status, 'succeeded');
  t.deepEqual(
    Object.entries(run.tasks).map(([label, { state }]) => `${label} ${state}`),
    ['a succeeded', 'b failed', 'c succeeded'],
  );
  const machine = {
    initial: 'one',
    states: { one: { invoke: { src: 'it', onDone: 'two' } }, two: { after: { 5000: 'end' } }, end: { type: 'final' } },
  };
  const json = { friendlyName: 'J', injectableName: 'Graph.J', machine, tasks: { it: 'Task.noop' } };
  const drawn = simulate(json, { tasks, ends: { it: { output: { n: 1 } } } }).until('two');
  t.is(drawn.until().elapsedMs, 5_000);
  t.deepEqual(drawn.output, { it: { n: 1 } });
  const plain = createMachine({
    id: 'Graph.P',
    initial: 'a',
    states: { a: { invoke: { src: 'Task.noop', onDone: 'b' } }, b: { type: 'final' } },
  });
  t.is(simulate(plain, { tasks }).until().status, 'succeeded');
});

const wrong: [what: string, use: () => unknown, message: RegExp][] = [
  [
    'an unknown label in ends',
    () => simulate(burnIn, { ends: { disk: 'ok' } }),
    /found ends of 'disk'; expected a label of Graph\.BurnIn; it has disks, back/,
  ],
  [
    'an end that is none',
    () => simulate(burnIn, { ends: { disks: ['broken' as 'fail'] } }),
    /found ends\.disks\.0 "broken"; expected 'ok', 'fail'/,
  ],
  ['no end', () => simulate(burnIn, { ends: { disks: [] } }), /at least one end/],
  [
    'an unknown state',
    () => simulate(burnIn).until('wating'),
    /no state and no label 'wating'.*its states are undoable, burning/,
  ],
  [
    'a state behind a wait',
    () => simulate(burnIn).until('done'),
    /'back' that waits for a notification before 'done'.*notify\(\)/,
  ],
  [
    'a state that is over',
    () => simulate(burnIn, { ends: { undo: 'fail' } }).until('waiting'),
    /has ended as failed \(TASK_FAILED.*before 'waiting'/,
  ],
  ['nothing to notify', () => simulate(burnIn).notify(), /no wait for a notification \(open: undo \(activity\)\)/],
  ['nothing to fail', () => simulate(burnIn).fail('back'), /'back' pending.*call until\('back'\) first/],
  ['an unknown label', () => simulate(burnIn).done('bak'), /done of 'bak'/],
  [
    'a time that is none',
    () => simulate(burnIn).advance('1 hour'),
    /the time "1 hour"; expected a number of ms, or a text such as '90s'/,
  ],
  [
    'options that a launch rejects',
    () => simulate(burnIn, { options: { format: { disk: 7 } } }),
    /options\.format\.disk/,
  ],
  ['an unknown task', () => simulate(list), /Task\.noop.*await includedDefinitions\(\)/],
  ['no graph', () => simulate({}), /friendlyName/],
  ['a name', () => simulate('Graph.Nothing'), /included graphs are known after `await includedDefinitions\(\)`/],
];

for (const [what, use, message] of wrong) {
  test(`misuse is an error that says what was found, what was expected and what to do: ${what}`, (t) => {
    const { message: said = '' } = t.throws(use) as Error;
    t.regex(said.replaceAll('\n', ' '), message);
  });
}

test('a graph that loops without end is an error, with its last steps', (t) => {
  const { createMachine: of } = defineGraph({
    injectableName: 'Graph.Loop',
    friendlyName: 'Loop',
    tasks: { ask: shell },
  });
  const loop = of({
    id: 'Graph.Loop',
    initial: 'asking',
    states: {
      asking: { invoke: { src: 'ask', onDone: { target: 'asking', reenter: true } }, after: { 999999999: 'end' } },
      end: { type: 'final' },
    },
  });
  t.throws(() => simulate(loop, { options: { ask: { command: '/x' } } }).until(), {
    message: /found its end not reached after 10000 steps/,
  });
});

test('a wait whose end is given ends by itself, as a call does', (t) => {
  const graph = {
    friendlyName: 'Waits',
    injectableName: 'Graph.Waits',
    tasks: [
      { label: 'back', taskName: 'Task.Wait.Notification' },
      { label: 'late', taskName: 'Task.noop', waitOn: { back: ['failed', 'timeout'] } },
    ],
  };
  const tasks = [noop, waitNotification];
  for (const [end, code] of [
    ['fail', 'TASK_FAILED'],
    [{ fail: 'NODE_SILENT' }, 'NODE_SILENT'],
  ] as const) {
    const run = simulate(graph, { tasks, ends: { back: end } }).until();
    t.is(run.tasks.back?.state, 'failed');
    t.is(run.tasks.back?.error?.code, code);
    t.is(run.tasks.late?.state, 'succeeded');
  }
  t.deepEqual(simulate(graph, { tasks, ends: { back: { output: { ip: '10.1.1.7' } } } }).until().tasks.back?.output, {
    ip: '10.1.1.7',
  });
});
