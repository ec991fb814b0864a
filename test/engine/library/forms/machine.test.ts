import test from 'ava';
import {
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  log,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stopChild,
} from 'xstate';
import { defineGraph, defineTask, Type } from '../../../../engine/define/index.ts';
import { logicOf } from '../../../../engine/durable/step/stepper.ts';
import { loadedTask } from '../../../../engine/library/forms/loaded-task.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';
import { erase, lookup, noop } from '../../../support/engine/tasks.ts';

const file = { kind: 'file', file: '/somewhere/graphs/x.ts' } as const;
const compile = (machine: unknown) => graphOf(machine, 'hash', lookup, file);

const end = { type: 'final' } as const;
const plain = (states: object, more: object = {}) =>
  createMachine({ id: 'Graph.X', initial: 'a', states: { ...states, z: end }, ...more } as object);
const acting = (actions: unknown) => plain({ a: { entry: actions, always: 'z' } });
const kit = defineGraph({ injectableName: 'Graph.X', friendlyName: 'X', tasks: { one: noop, two: noop } });

test('a kit graph derives its labels from its tasks, and separates static from computed inputs', (t) => {
  const graph = compile(
    kit.createMachine({
      id: 'Graph.X',
      initial: 'a',
      states: {
        a: { invoke: { src: 'one', input: { delay: 3 }, onDone: 'b' } },
        b: { invoke: { id: 'own-id', src: 'two', input: () => ({ delay: 4 }), onDone: 'z' } },
        z: end,
      },
    }),
  );
  t.deepEqual(
    [...graph.labels.values()].map(({ label, overrides, dynamic }) => ({ label, overrides, dynamic })),
    [
      { label: 'one', overrides: { delay: 3 }, dynamic: false },
      { label: 'two', overrides: {}, dynamic: true },
    ],
  );
  t.is(graph.labelOf('two', 'own-id'), 'two');
  t.is(graph.hash, 'hash');
  t.deepEqual(graph.definition, {
    friendlyName: 'X',
    injectableName: 'Graph.X',
    options: {},
    tasks: [
      { label: 'one', taskName: 'Task.noop' },
      { label: 'two', taskName: 'Task.noop' },
    ],
    file: 'x.ts',
  });
});

test('the labels of a plain machine are the ids of its invokes, or the names of their tasks', (t) => {
  const graph = compile(
    plain({
      a: { invoke: { id: 'first', src: 'Task.noop', onDone: 'b' } },
      b: { invoke: { src: 'Task.noop', onDone: 'z' } },
    }),
  );
  t.deepEqual([...graph.labels.keys()], ['first', 'Task.noop']);
  t.is(graph.labelOf('Task.noop', 'first'), 'first');
  t.is(graph.labelOf('Task.noop', '0.Graph.X.b'), 'Task.noop');
  t.not(graph.hash, 'hash');
});

test('a task that several states invoke without ids has a label for each', (t) => {
  const inner = { initial: 'a', states: { a: { invoke: { src: 'Task.noop', onDone: 'z' } }, z: end }, onDone: 'z' };
  const graph = compile(
    plain({
      a: { invoke: { src: 'Task.noop', onDone: 'b c' } },
      'b c': { invoke: { id: 'Graph.X.b c:invocation[0]', src: 'Task.noop', onDone: 'd' } },
      d: inner,
    }),
  );
  t.deepEqual([...graph.labels.keys()], ['Task.noop-a', 'Task.noop-b-c', 'Task.noop-d-a']);
  t.is(graph.labelOf('Task.noop', 'Graph.X.b c:invocation[0]'), 'Task.noop-b-c');
});

test('the computed input of a plain machine is given to its task', (t) => {
  const a = { invoke: { src: 'Task.noop', input: () => ({ delay: 4 }), onDone: 'z' } };
  const region = { initial: 'a', states: { a, z: end } };
  for (const machine of [plain({ a }), plain({ a: { type: 'parallel', states: { region }, onDone: 'z' } })]) {
    const { actions } = logicOf(compile(machine).machine).begin({});
    t.like(actions.find(({ type }) => type === 'xstate.spawnChild')?.params, { input: { delay: 4 } });
  }
});

for (const [name, action] of Object.entries({
  assign: assign({}),
  raise: raise({ type: 'x' }),
  log: log('x'),
  cancel: cancel('x'),
  enqueueActions: enqueueActions(() => {}),
})) {
  test(`the action ${name} is allowed`, (t) => {
    t.notThrows(() => compile(acting(action)));
  });
}

for (const [name, action] of Object.entries({
  sendTo: sendTo('x', { type: 'x' }),
  sendParent: sendParent({ type: 'x' }),
  spawnChild: spawnChild('x'),
  stopChild: stopChild('x'),
  emit: emit({ type: 'x' }),
  'a custom function': () => {},
  'an unknown name': 'nothing',
})) {
  test(`the action ${name} is rejected with the name of the state`, (t) => {
    const rejection = t.throws(() => compile(acting(action))) as Rejection;
    t.regex(rejection.found, /in state Graph\.X\.a/);
    t.regex(rejection.expected, /assign, raise, log/);
  });
}

const places: [where: string, machine: unknown][] = [
  ['an exit', plain({ a: { exit: () => {}, always: 'z' } })],
  ['a transition', plain({ a: { always: { target: 'z', actions: () => {} } } })],
  ['an event of the root', plain({ a: { always: 'z' } }, { on: { x: { actions: () => {} } } })],
  [
    'an initial transition',
    plain({ a: { initial: { target: 'b', actions: () => {} }, states: { b: {} }, always: 'z' } }),
  ],
  ['the end of a task', plain({ a: { invoke: { src: 'Task.noop', onDone: { target: 'z', actions: () => {} } } } })],
  ['a delay', plain({ a: { after: { 10: { target: 'z', actions: () => {} } } } })],
  ['a named action', acting('named').provide({ actions: { named: () => console.log('x') } })],
];

for (const [where, machine] of places) {
  test(`an inline function in ${where} is rejected`, (t) => {
    t.regex((t.throws(() => compile(machine)) as Rejection).found, /a custom function/);
  });
}

const wrong: [why: string, machine: unknown, found: RegExp][] = [
  ['no machine', { id: 'Graph.X' }, /^\{"id"/],
  ['nothing', undefined, /nothing/],
  ['no name', createMachine({ initial: 'z', states: { z: end } }), /id "\(machine\)"|id nothing/],
  ['a name without its prefix', createMachine({ id: 'X', initial: 'z', states: { z: end } }), /id "X"/],
  ['two names', kit.createMachine({ id: 'Graph.Y', initial: 'z', states: { z: end } }), /"Graph.Y" with/],
  ['an unknown task', plain({ a: { invoke: { src: 'Task.none', onDone: 'z' } } }), /'Task.none' in state Graph.X.a/],
  [
    'inline logic in the invoke',
    plain({ a: { invoke: { src: fromPromise(async () => 1), onDone: 'z' } } }),
    /logic inside/,
  ],
  [
    'a label invoked from two states',
    plain({
      a: { invoke: { id: 'one', src: 'Task.noop', onDone: 'b' } },
      b: { invoke: { id: 'one', src: 'Task.noop', onDone: 'z' } },
    }),
    /'one' in states Graph.X.a and Graph.X.b/,
  ],
  ['the label anyOf', plain({ a: { invoke: { id: 'anyOf', src: 'Task.noop', onDone: 'z' } } }), /'anyOf'/],
  [
    'an input that does not fit',
    plain({ a: { invoke: { src: 'Task.noop', input: { delay: -1 }, onDone: 'z' } } }),
    /delay/,
  ],
  ['an input that is not an object', plain({ a: { invoke: { src: 'Task.noop', input: 7, onDone: 'z' } } }), /input 7/],
  ['no way to the end', plain({ a: { on: {} } }), /cannot end/],
  [
    'a final state below the top level only',
    createMachine({ id: 'Graph.X', initial: 'a', states: { a: { initial: 'b', states: { b: end } } } }),
    /cannot end/,
  ],
  [
    'a region that never ends',
    createMachine({
      id: 'Graph.X',
      type: 'parallel',
      states: { a: { initial: 'z', states: { z: end } }, b: { initial: 'y', states: { y: {} } } },
    }),
    /cannot end/,
  ],
  [
    'an unknown label of the kit',
    (kit.createMachine as (config: object) => unknown)({
      initial: 'a',
      states: { a: { invoke: { src: 'three', onDone: 'z' } }, z: end },
    }),
    /'three' in state/,
  ],
  [
    'options of an unknown label',
    defineGraph({
      injectableName: 'Graph.X',
      friendlyName: 'X',
      tasks: { one: noop },
      options: { two: {} } as object,
    }).createMachine({ initial: 'z', states: { z: end } }),
    /options\.two/,
  ],
];

for (const [why, machine, found] of wrong) {
  test(`a machine with ${why} is rejected with found and expected`, (t) => {
    const rejection = t.throws(() => compile(machine)) as Rejection;
    t.is(rejection.code, 'INVALID_DEFINITION');
    t.regex(rejection.found, found);
    t.truthy(rejection.expected);
  });
}

test('a parallel machine is accepted if all its regions end', (t) => {
  const region = { initial: 'z', states: { z: end } };
  t.notThrows(() => compile(createMachine({ id: 'Graph.X', type: 'parallel', states: { a: region, b: region } })));
});

const machine = plain({ a: { invoke: { src: fromPromise(async () => 1).constructor as never, onDone: 'z' } } });
const wrongTasks: [why: string, task: unknown, found: RegExp][] = [
  ['no task', { a: 1 }, /\{"a":1\}/],
  ['a name without its prefix', { ...noop, injectableName: 'noop' }, /"noop"/],
  ['an unknown recovery', { ...noop, recovery: 'maybe' }, /"maybe"/],
  ['no machine', { ...noop, machine: 7 }, /7 as machine/],
  ['a machine that invokes no operation', { ...noop, machine }, /invoking/],
  ['no schema', { ...noop, optionsSchema: undefined }, /nothing as optionsSchema/],
  ['a schema that does not compile', { ...noop, optionsSchema: { type: 'nonsense' } }, /does not compile/],
  ['options that do not fit', { ...noop, options: { delay: 'x' } }, /delay: must be integer/],
  ['unknown options', { ...erase, options: { diks: [] } }, /'diks' is not known here; did you mean 'disks'/],
];

for (const [why, task, found] of wrongTasks) {
  test(`a task file with ${why} is rejected`, (t) => {
    t.regex((t.throws(() => loadedTask(task, 'hash', file)) as Rejection).found, found);
  });
}

test('a task with a machine of its own is accepted', (t) => {
  const task = defineTask({
    injectableName: 'Task.own',
    friendlyName: 'Own',
    recovery: 'once',
    optionsSchema: Type.Object({}),
    machine: noop.machine,
  });
  t.is(loadedTask(task, 'hash', file).definition.recovery, 'once');
});

test('a kit graph shows the options of its examples, each once and without secrets', (t) => {
  const withExamples = (examples: unknown) => {
    const meta = { injectableName: 'Graph.X', friendlyName: 'X', tasks: { one: noop }, examples } as never;
    return compile(defineGraph(meta).createMachine({ id: 'Graph.X', initial: 'z', states: { z: end } } as never));
  };
  const options = { one: { delay: 3, rootPassword: 'correct-horse', users: [{ name: 'a', password: 'b' }] } };
  const { definition } = withExamples([{ options }, { options }, { outputs: {} }]);
  t.deepEqual(definition.examples, [{ one: { delay: 3, users: [{ name: 'a' }] } }]);
  const long = withExamples([{ options: { one: { text: 'x'.repeat(20_000) } } }]);
  t.false('examples' in long.definition);
  const cyclic: Record<string, unknown> = {};
  cyclic.own = cyclic;
  t.throws(() => withExamples([{ options: cyclic }]), { message: /an example that is no JSON.*as a launch has them/s });
});
