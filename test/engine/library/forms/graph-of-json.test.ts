/** A graph whose machine is JSON: its compilation, and every reason to reject one. */
import test from 'ava';
import { FAILED } from '../../../../engine/define/graph.ts';
import { logicOf } from '../../../../engine/durable/step/stepper.ts';
import { graphOfJson } from '../../../../engine/library/forms/graph-of-json.ts';
import { machineView } from '../../../../engine/library/forms/machine-view.ts';
import { hashOf } from '../../../../engine/library/options/hash.ts';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';
import { api, lookup } from '../../../support/engine/tasks.ts';

const machine = {
  id: 'install',
  initial: 'preparing',
  context: { site: 'r12' },
  states: {
    preparing: {
      invoke: { src: 'prepare', id: 'inline:1', input: { delay: 5 }, onDone: 'erasing', onError: { target: 'failed' } },
    },
    erasing: {
      description: 'of both drives',
      invoke: [
        {
          src: 'erase',
          input: { disks: ['{{ context.prepare.disk }}'] },
          onDone: [{ target: '#install.done' }],
          onError: 'failed',
        },
      ],
      after: { 60000: { target: 'failed', actions: [] } },
    },
    done: { type: 'final', entry: [] },
    failed: { type: 'final', tags: [FAILED] },
  },
};

const graph = (more: object = {}) => ({
  injectableName: 'Graph.Json',
  friendlyName: 'From an editor',
  machine,
  tasks: { prepare: 'Task.noop', erase: 'Task.erase' },
  ...more,
});

const compile = (json: unknown) => graphOfJson(json, lookup, api);

test('a machine from an editor has the tasks of its srcs, and keeps their outputs and the first error', (t) => {
  const made = compile(graph());
  t.deepEqual([...made.labels.keys()], ['prepare', 'erase']);
  t.deepEqual(made.labels.get('erase')?.overrides, { disks: ['{{ context.prepare.disk }}'] });
  t.deepEqual(
    machineView(made).tasks.map(({ label, taskName, waitsFor }) => [label, taskName, waitsFor]),
    [
      ['prepare', 'Task.noop', []],
      ['erase', 'Task.erase', ['prepare']],
    ],
  );
  const logic = logicOf(made.machine);
  const first = logic.begin({});
  const second = logic.next(first.snapshot, { type: 'xstate.done.actor.prepare', output: { disk: 'sda' } } as never);
  t.deepEqual(second.snapshot, {
    value: 'erasing',
    context: { site: 'r12', error: null, prepare: { disk: 'sda' } },
  });
  const done = logic.next(second.snapshot, { type: 'xstate.done.actor.erase', output: { erased: 1 } } as never);
  t.deepEqual(done.ending && 'output' in done.ending && done.ending.output, {
    prepare: { disk: 'sda' },
    erase: { erased: 1 },
  });
  const broken = { name: 'Error', message: 'no drive', code: 'UNAVAILABLE' };
  const failed = logic.next(second.snapshot, { type: 'xstate.error.actor.erase', error: broken } as never);
  t.true(failed.ending && 'tags' in failed.ending && failed.ending.tags.has(FAILED));
  t.deepEqual((failed.snapshot.context as { error: unknown }).error, broken);
});

test('the hash is that of versions which are stored: tasks in the order of the table', (t) => {
  const json = graph({ tasks: { erase: 'Task.erase', prepare: 'Task.noop' } });
  const used = ['Task.erase', 'Task.noop'].map((name) => lookup(name)?.hash);
  t.is(compile(json).hash, hashOf({ json, used }));
});

test('a src of several states has a label, an output and options for each', (t) => {
  const two = {
    initial: 'first look',
    states: {
      'first look': { invoke: { src: 'look', onDone: 'second' } },
      second: { invoke: { src: 'look', input: { delay: 3 }, onDone: 'done' } },
      done: { type: 'final' },
    },
  };
  const options = { 'look-second': { delay: 7 } };
  const made = compile(graph({ machine: two, tasks: { look: 'Task.noop' }, options }));
  t.deepEqual([...made.labels.keys()], ['look-first-look', 'look-second']);
  const logic = logicOf(made.machine);
  const next = logic.next(logic.begin({}).snapshot, {
    type: 'xstate.done.actor.look-first-look',
    output: 5,
  } as never);
  t.deepEqual(next.snapshot, { value: 'second', context: { error: null, 'look-first-look': 5 } });
});

test('a table of tasks is that of the definition, or of the meta of the root; a src may also be a task', (t) => {
  const meta = { tasks: { prepare: 'Task.noop', erase: 'Task.erase' } };
  const labels = (json: object) => [...compile(graph(json)).labels].map(([label, { task }]) => [label, task.name]);
  const expected = [
    ['prepare', 'Task.noop'],
    ['erase', 'Task.erase'],
  ];
  t.deepEqual(labels({}), expected);
  t.deepEqual(labels({ tasks: undefined, machine: { ...machine, meta } }), expected);
  const named = { initial: 'a', states: { a: { invoke: { src: 'Task.noop', onDone: 'z' } }, z: { type: 'final' } } };
  t.deepEqual(labels({ tasks: undefined, machine: named }), [['Task.noop', 'Task.noop']]);
});

test('its version depends on the machine, not on what is written for people', (t) => {
  const hash = (json: object) => compile(graph(json)).hash;
  t.is(hash({}), hash({}));
  t.not(hash({}), hash({ machine: { ...machine, context: {} } }));
  t.not(hash({}), hash({ options: { prepare: { delay: 1 } } }));
});

const states = (more: object) => ({ machine: { ...machine, states: { ...machine.states, ...more } } });
const deep = (levels: number): object =>
  levels === 0 ? { type: 'final' } : { initial: 's', states: { s: deep(levels - 1) } };

const rejected: [string, object, path: string, message: RegExp][] = [
  [
    'a guard',
    states({ erasing: { ...machine.states.erasing, always: { guard: 'isReady', target: 'done' } } }),
    'machine.states.erasing.always.guard',
    /found "isReady", expected none: a machine as JSON has no code; use Task.Evaluate.Condition/,
  ],
  [
    'an action',
    states({ preparing: { invoke: { src: 'prepare', onDone: { target: 'erasing', actions: ['note'] } } } }),
    'machine.states.preparing.invoke.onDone.actions',
    /has no code/,
  ],
  [
    'an entry',
    states({ done: { type: 'final', entry: ['note'] } }),
    'machine.states.done.entry',
    /found actions, expected none/,
  ],
  [
    'an event',
    states({ preparing: { ...machine.states.preparing, on: { NEXT: 'done' } } }),
    'machine.states.preparing.on',
    /only ends of tasks/,
  ],
  ['an unknown key', states({ done: { type: 'final', spawn: 1 } }), 'machine.states.done.spawn', /./],
  [
    'a key of an invoke',
    states({ preparing: { invoke: { src: 'prepare', systemId: 'x' } } }),
    'machine.states.preparing.invoke.systemId',
    /./,
  ],
  [
    'an unknown src',
    states({ preparing: { invoke: { src: 'wipe', onDone: 'erasing' } } }),
    'machine.states.preparing.invoke.src',
    /found "wipe", expected one of tasks/,
  ],
  [
    'a src twice in a state',
    states({ erasing: { ...machine.states.erasing, invoke: ['erase', 'erase'].map((src) => ({ src })) } }),
    'machine.states.erasing.invoke.1.src',
    /expected states with different names/,
  ],
  [
    'a task that no state invokes',
    { tasks: { ...graph().tasks, more: 'Task.noop' } },
    'tasks.more',
    /is not the src of an invoke/,
  ],
  ['an unknown task', { tasks: { ...graph().tasks, erase: 'Task.Wipe' } }, 'tasks.erase', /not a task of the library/],
  [
    'a named delay',
    states({ erasing: { after: { soon: 'done' } } }),
    'machine.states.erasing.after.soon',
    /expected ms/,
  ],
  [
    'a target that is no text',
    states({ erasing: { after: { 5: { target: 7 } } } }),
    'machine.states.erasing.after.5.target',
    /expected the name of a state/,
  ],
  ['a state that is no object', states({ erasing: 7 }), 'machine.states.erasing', /expected a state/],
  ['a type', states({ erasing: { type: 'loop' } }), 'machine.states.erasing.type', /expected one of atomic/],
  [
    'a context that is code',
    { machine: { ...machine, context: '({}) => ({})' } },
    'machine.context',
    /expected an object/,
  ],
  [
    'a context that has an output',
    { machine: { ...machine, context: { erase: 1 } } },
    'tasks.erase',
    /which the context has/,
  ],
  [
    'a src named error',
    {
      machine: { initial: 'a', states: { a: { invoke: { src: 'error', onDone: 'b' } }, b: { type: 'final' } } },
      tasks: { error: 'Task.noop' },
    },
    'tasks.error',
    /the context has/,
  ],
  [
    'a reserved src',
    {
      machine: { initial: 'a', states: { a: { invoke: { src: 'defaults', onDone: 'b' } }, b: { type: 'final' } } },
      tasks: { defaults: 'Task.noop' },
    },
    'tasks.defaults',
    /reserved/,
  ],
  [
    'too many levels',
    { machine: deep(30), tasks: { prepare: 'Task.noop' } },
    `machine${'.states.s'.repeat(21)}`,
    /500 states, 20 deep/,
  ],
  [
    'too many states',
    states(Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`s${n}`, {}]))),
    'machine.states.s496',
    /500 states/,
  ],
  ['options of an unknown src', { options: { wipe: {} } }, 'options.wipe', /no such label/],
  ['no tasks', { tasks: {} }, 'tasks', /./],
];

for (const [title, more, path, message] of rejected) {
  test(`rejected with its path: ${title}`, (t) => {
    const error = t.throws(() => compile(graph(more)), { code: 'INVALID_DEFINITION' }) as Rejection;
    const at = error.violations?.find((violation) => violation.path === path);
    t.regex(at?.message ?? `only ${JSON.stringify(error.violations)}`, message);
  });
}

test('rejected: options that the task does not take, a state that does not exist, and no end', (t) => {
  const input = states({ erasing: { invoke: { src: 'erase', input: { disks: 7 }, onDone: 'done' } } });
  t.throws(() => compile(graph(input)), { code: 'INVALID_DEFINITION', message: /label 'erase': input/ });
  t.throws(() => compile(graph(states({ erasing: { ...machine.states.erasing, onDone: 'nowhere' } }))), {
    code: 'INVALID_DEFINITION',
    message: /nowhere/,
  });
  const endless = { initial: 'a', states: { a: { invoke: { src: 'prepare', onDone: 'b' } }, b: {} } };
  t.throws(() => compile(graph({ machine: endless, tasks: { prepare: 'Task.noop' } })), { message: /cannot end/ });
});

test('rejected: names of states with dots, and those of prototypes, which they do not change', (t) => {
  for (const name of ['__proto__', 'constructor', 'a.b', '#a']) {
    const json = `{"initial":"${name}","states":{"${name}":{"invoke":{"src":"prepare","onDone":"end"}},"end":{"type":"final"}}}`;
    const hostile = { machine: JSON.parse(json), tasks: { prepare: 'Task.noop' } };
    t.throws(() => compile(graph(hostile)), { code: 'INVALID_DEFINITION', message: /without dots/ }, name);
  }
  t.is(({} as Record<string, unknown>).invoke, undefined);
});

test('a loop of transitions without events fails, and does not block the process', (t) => {
  const loop = {
    initial: 'first',
    states: {
      first: { invoke: { src: 'prepare', onDone: 'a', onError: 'end' } },
      a: { always: 'b' },
      b: { always: 'a' },
      end: { type: 'final' },
    },
  };
  const parallel = { type: 'parallel', states: { one: loop, two: { initial: 'x', states: { x: { type: 'final' } } } } };
  for (const each of [loop, parallel]) {
    const logic = logicOf(compile(graph({ machine: each, tasks: { prepare: 'Task.noop' } })).machine);
    const { snapshot } = logic.begin({});
    t.throws(() => logic.next(snapshot, { type: 'xstate.done.actor.prepare', output: {} } as never), {
      message: /Infinite loop detected/,
    });
  }
});
