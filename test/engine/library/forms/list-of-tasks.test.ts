import test from 'ava';
import fc from 'fast-check';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import type { ListEntry } from '../../../../engine/library/forms/list-json.ts';
import { graphOfList, templateContext } from '../../../../engine/library/forms/list-of-tasks.ts';
import type { Ledger } from '../../../../engine/library/forms/list-step.ts';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { api, lookups } from '../../../support/engine/tasks.ts';

const graph = (tasks: Partial<ListEntry>[], more: object = {}) => ({
  friendlyName: 'Test',
  injectableName: 'Graph.Test',
  tasks: tasks.map((entry) => ({ ...(entry.taskDefinition ? {} : { taskName: 'Task.noop' }), ...entry })),
  ...more,
});

const compile = (tasks: Partial<ListEntry>[], more?: object) => graphOfList(graph(tasks, more), lookups, api);

type Outcome = 'succeeded' | 'failed' | 'timeout' | 'cancelled';

/** A workflow as the engine stores it: a snapshot that is JSON between two steps, and the spawned labels. */
class Run {
  readonly running: string[] = [];
  snapshot: AnyMachineSnapshot;
  readonly graph: Graph;

  constructor(compiled: Graph) {
    this.graph = compiled;
    const [snapshot, actions] = initialTransition(compiled.machine, {});
    this.snapshot = snapshot;
    this.note(actions);
  }

  get ledger(): Ledger {
    return this.snapshot.context as Ledger;
  }

  end(label: string, state: Outcome, output: unknown = { from: label }) {
    const { value, context } = JSON.parse(JSON.stringify({ value: this.snapshot.value, context: this.ledger }));
    const kept = this.graph.machine.resolveState({ value, context });
    const error = { name: 'Error', message: 'broke', code: 'TASK_FAILED', state };
    const ok = { type: `xstate.done.actor.${label}`, output, actorId: label };
    const bad = { type: `xstate.error.actor.${label}`, error, actorId: label };
    const [snapshot, actions] = transition(this.graph.machine, kept, state === 'succeeded' ? ok : bad);
    this.running.splice(this.running.indexOf(label), 1);
    this.snapshot = snapshot;
    this.note(actions);
  }

  private note(actions: readonly { type: string; params?: unknown }[]) {
    for (const { type, params } of actions) {
      if (type === 'xstate.spawnChild') this.running.push((params as { src: string }).src);
    }
  }
}

test('a task starts when all tasks in its waitOn have ended as required', (t) => {
  const run = new Run(
    compile([{ label: 'a' }, { label: 'b' }, { label: 'c', waitOn: { a: 'succeeded', b: ['succeeded', 'failed'] } }]),
  );
  t.deepEqual(run.running, ['a', 'b']);
  run.end('b', 'failed');
  t.deepEqual(run.running, ['a']);
  run.end('a', 'succeeded');
  t.deepEqual(run.running, ['c']);
  run.end('c', 'succeeded');
  t.is(run.snapshot.value, 'done');
  t.deepEqual(run.ledger.states, { a: 'succeeded', b: 'failed', c: 'succeeded' });
});

test('a failure that no task waits for fails the graph and names the task', (t) => {
  const run = new Run(compile([{ label: 'a' }, { label: 'b', waitOn: { a: 'succeeded' } }]));
  run.end('a', 'timeout');
  t.is(run.snapshot.value, 'failed');
  t.true(run.snapshot.hasTag('failed'));
  t.deepEqual(run.ledger.error, { name: 'Error', message: 'a: broke', code: 'TASK_FAILED' });
  t.is(run.ledger.states.b, 'pending');
});

test('with ignoreFailure the graph continues, and tasks that wait for success are skipped', (t) => {
  const run = new Run(
    compile([
      { label: 'a', ignoreFailure: true },
      { label: 'b', waitOn: { a: 'succeeded' } },
      { label: 'c', waitOn: { b: 'finished' } },
      { label: 'd', waitOn: { a: 'finished' } },
    ]),
  );
  run.end('a', 'failed');
  t.deepEqual(run.running, ['d']);
  run.end('d', 'succeeded');
  t.is(run.snapshot.value, 'done');
  t.deepEqual(run.ledger.states, { a: 'failed', b: 'skipped', c: 'skipped', d: 'succeeded' });
});

test('a graph ends when all its tasks have ended, however one of them ends', (t) => {
  const leaves = new Run(compile([{ label: 'a' }, { label: 'b' }]));
  leaves.end('a', 'succeeded');
  t.is(leaves.snapshot.value, 'working');
  leaves.end('b', 'failed');
  t.is(leaves.snapshot.value, 'failed');
  for (const state of ['timeout', 'cancelled'] as const) {
    const branches = new Run(
      compile([
        { label: 'a' },
        { label: 'always', waitOn: { a: 'finished' } },
        { label: 'good', waitOn: { always: 'finished', a: 'succeeded' } },
        { label: 'bad', waitOn: { always: 'finished', a: 'failed' } },
      ]),
    );
    branches.end('a', state);
    branches.end('always', 'succeeded');
    t.is(branches.snapshot.value, 'done');
    t.deepEqual(branches.ledger.states, { a: state, always: 'succeeded', good: 'skipped', bad: 'skipped' });
  }
});

test('anyOf as an object needs one of its entries, besides all others', (t) => {
  const run = new Run(
    compile([
      { label: 'a', ignoreFailure: true },
      { label: 'b' },
      { label: 'c' },
      { label: 'd', waitOn: { c: 'succeeded', anyOf: { a: 'succeeded', b: 'succeeded' } } },
    ]),
  );
  run.end('a', 'failed');
  run.end('b', 'succeeded');
  t.false(run.running.includes('d'));
  run.end('c', 'succeeded');
  t.deepEqual(run.running, ['d']);
});

test('anyOf as a list needs one of its objects, with all its entries', (t) => {
  const anyOf = [{ a: 'failed', b: 'succeeded' }, { c: 'succeeded' }];
  const run = new Run(compile([{ label: 'a' }, { label: 'b' }, { label: 'c' }, { label: 'd', waitOn: { anyOf } }]));
  run.end('a', 'failed');
  t.false(run.running.includes('d'));
  run.end('b', 'succeeded');
  t.true(run.running.includes('d'));
});

test('a repeated end of the same task changes nothing', (t) => {
  const run = new Run(compile([{ label: 'a' }, { label: 'b' }]));
  run.end('a', 'succeeded', { n: 1 });
  const before = structuredClone(run.ledger);
  run.end('a', 'failed');
  t.deepEqual(run.ledger, before);
});

test('templates read the outputs by label', (t) => {
  const compiled = compile([{ label: 'step-1' }]);
  const run = new Run(compiled);
  run.end('step-1', 'succeeded', { value: 7 });
  t.deepEqual(templateContext(compiled, run.ledger), { 'step-1': { value: 7 } });
});

test('equal graphs have equal hashes, in any order of their keys', (t) => {
  const one = compile([{ label: 'a', optionOverrides: { delay: 1 } }]);
  const { tasks, ...rest } = graph([{ label: 'a', optionOverrides: { delay: 1 } }]);
  t.is(graphOfList({ tasks, ...rest }, lookups, api).hash, one.hash);
  t.not(compile([{ label: 'a', optionOverrides: { delay: 2 } }]).hash, one.hash);
});

const inline = { friendlyName: 'x', injectableName: 'Task.x', implementsTask: 'Task.noop', options: {} };

const rejections: [why: string, put: unknown, path: string, message: RegExp][] = [
  ['no object', 7, '', /must be object/],
  ['no tasks', graph([]), 'tasks', /at least 1 item/],
  ['an unknown key', graph([{ label: 'a' }], { colour: 'red' }), 'colour', /not known/],
  ['an unknown key of a task', graph([{ label: 'a', wait: {} } as Partial<ListEntry>]), 'tasks.0.wait', /not known/],
  ['a name that a path would lose', graph([{ label: 'a' }], { injectableName: '..' }), 'injectableName', /pattern/],
  ['a duplicate label', graph([{ label: 'a' }, { label: 'a' }]), 'tasks.1.label', /'a' a second time/],
  ['an unknown label in waitOn', graph([{ label: 'a', waitOn: { b: 'failed' } }]), 'tasks.0.waitOn.b', /no task/],
  ['an unknown label in anyOf', graph([{ label: 'a', waitOn: { anyOf: { b: 'failed' } } }]), 'tasks.0.waitOn.b', /no/],
  ['an empty anyOf', graph([{ label: 'a', waitOn: { anyOf: {} } }]), 'tasks.0.waitOn.anyOf', /at least one/],
  ['a bad wait state', graph([{ label: 'a' }, { label: 'b', waitOn: { a: 'ok' } }]), 'tasks.1.waitOn.a', /succeeded/],
  [
    'a cycle',
    graph([
      { label: 'a', waitOn: { b: 'succeeded' } },
      { label: 'b', waitOn: { a: 'succeeded' } },
    ]),
    'tasks',
    /a -> b -> a/,
  ],
  ['a task that waits for itself', graph([{ label: 'a', waitOn: { a: 'succeeded' } }]), 'tasks', /a -> a/],
  ['an unknown task', graph([{ label: 'a', taskName: 'Task.none' }]), 'tasks.0.taskName', /'Task.none'/],
  [
    'taskName and taskDefinition',
    graph([{ label: 'a', taskName: 'Task.noop', taskDefinition: inline }]),
    'tasks.0',
    /both/,
  ],
  [
    'neither taskName nor taskDefinition',
    { friendlyName: 'x', injectableName: 'Graph.x', tasks: [{ label: 'a' }] },
    'tasks.0',
    /neither/,
  ],
  ['the label anyOf', graph([{ label: 'anyOf' }]), 'tasks.0.label', /reserved/],
  ['options that do not fit', graph([{ label: 'a' }], { options: { a: { delay: -1 } } }), 'options.a.delay', />= 0/],
  [
    'defaults that do not fit',
    graph([{ label: 'a' }], { options: { defaults: { delay: 'x' } } }),
    'options.defaults.delay',
    /integer/,
  ],
  [
    'overrides that do not fit',
    graph([{ label: 'a', optionOverrides: { delay: 'x' } }]),
    'tasks.0.optionOverrides.delay',
    /integer/,
  ],
  [
    'options of a taskDefinition that do not fit',
    graph([{ label: 'a', taskDefinition: { ...inline, options: { delay: -1 } } }]),
    'tasks.0.taskDefinition.options.delay',
    /must be/,
  ],
  [
    'a taskDefinition of nothing',
    graph([{ label: 'a', taskDefinition: { ...inline, implementsTask: 'Task.none' } }]),
    'tasks.0.taskDefinition.implementsTask',
    /not a code task/,
  ],
  [
    'more waitOn entries than a step may evaluate',
    graph(
      Array.from({ length: 3 }, (_, n) => ({
        label: `t${n}`,
        waitOn: Object.fromEntries(Array.from({ length: 1000 }, (_, m) => [`u${m}`, 'failed'])),
      })),
    ),
    'tasks',
    /more than 2000 entries/,
  ],
  ['more than 1,000 tasks', graph(Array.from({ length: 1001 }, (_, n) => ({ label: `t${n}` }))), 'tasks', /1000/],
];

for (const [why, put, path, message] of rejections) {
  test(`a list with ${why} is rejected with its path and a reason`, (t) => {
    const rejection = t.throws(() => graphOfList(put, lookups, api)) as Rejection;
    t.is(rejection.code, 'INVALID_DEFINITION');
    const fault = rejection.violations?.find((one) => one.path === path);
    t.truthy(fault, JSON.stringify(rejection.violations));
    t.regex(fault?.message ?? '', message);
  });
}

test('keys that are not known hide no other violation', (t) => {
  const tasks = [
    { label: 'a', wait: {}, waitOn: { b: 'failed' } },
    { label: 'c', taskName: 'Task.none' },
  ] as unknown as Partial<ListEntry>[];
  const rejection = t.throws(() => graphOfList(graph(tasks, { colour: 'red' }), lookups, api)) as Rejection;
  t.deepEqual(
    rejection.violations?.map(({ path }) => path),
    ['colour', 'tasks.0.wait', 'tasks.0.waitOn.b', 'tasks.1.taskName'],
  );
});

test('a value in waitOn that repeats a reserved word is not treated as a label', (t) => {
  t.notThrows(() => compile([{ label: 'a' }, { label: 'b', waitOn: { anyOf: [{ a: 'finished' }] } }]));
});

// A direct implementation of the rules as the reference: examines every task again until nothing changes.
function reference(tasks: ListEntry[], outcomes: Record<string, Outcome>, pick: (running: string[]) => string) {
  const states: Record<string, string> = Object.fromEntries(tasks.map(({ label }) => [label, 'pending']));
  const wanted = (value: unknown) => [value as string].flat().flatMap((one) => (one === 'finished' ? endings : [one]));
  const met = (conditions: object) =>
    Object.entries(conditions).map(([on, value]) => verdict(states[on] ?? '', wanted(value)));
  const advance = () => {
    for (let moved = true; moved; ) {
      moved = false;
      for (const { label, waitOn = {} } of tasks) {
        if (states[label] !== 'pending') continue;
        const { anyOf, ...all } = waitOn;
        const whole = every(met(all));
        const groups = Array.isArray(anyOf)
          ? anyOf.map((one) => every(met(one)))
          : anyOf
            ? met(anyOf as object)
            : [true];
        const result = every([whole, some(groups)]);
        if (result === undefined) continue;
        states[label] = result ? 'running' : 'skipped';
        moved = true;
      }
    }
  };
  for (;;) {
    advance();
    const running = tasks.map(({ label }) => label).filter((label) => states[label] === 'running');
    if (running.length === 0) return { states, failed: false };
    const label = pick(running);
    const state = outcomes[label] ?? 'succeeded';
    states[label] = state;
    const awaited = tasks.some(({ waitOn = {} }) => {
      const { anyOf = {}, ...all } = waitOn;
      return [all, ...[anyOf as object].flat()].some((one) =>
        wanted((one as Record<string, unknown>)[label]).includes(state),
      );
    });
    const ignored = tasks.some((one) => one.label === label && one.ignoreFailure);
    if (state !== 'succeeded' && !awaited && !ignored) return { states, failed: true };
  }
}

const endings = ['succeeded', 'failed', 'timeout', 'cancelled'];
const verdict = (state: string, wanted: string[]) =>
  wanted.includes(state) ? true : state === 'pending' || state === 'running' ? undefined : false;
const every = (all: (boolean | undefined)[]) =>
  all.includes(false) ? false : all.includes(undefined) ? undefined : true;
const some = (any: (boolean | undefined)[]) =>
  any.includes(true) ? true : any.includes(undefined) ? undefined : false;

const state = fc.constantFrom('succeeded', 'failed', 'timeout', 'cancelled', 'finished');
const states = fc.oneof(state, fc.uniqueArray(state, { minLength: 1, maxLength: 3 }));

const dag = fc.integer({ min: 1, max: 14 }).chain((size) => {
  const entries = Array.from({ length: size }, (_, n) => {
    const earlier = Array.from({ length: n }, (_, m) => `t${m}`);
    const none = fc.constant({});
    const group = (minKeys: number) =>
      n === 0 ? none : fc.dictionary(fc.constantFrom(...earlier), states, { minKeys, maxKeys: 3 });
    const anyOf =
      n === 0
        ? fc.constant(undefined)
        : fc.option(fc.oneof(group(1), fc.array(group(1), { minLength: 1, maxLength: 3 })), { nil: undefined });
    return fc
      .record({ all: group(0), anyOf, ignoreFailure: fc.boolean() })
      .map(({ all, anyOf: oneOf, ignoreFailure }) => ({
        label: `t${n}`,
        taskName: 'Task.noop',
        waitOn: oneOf === undefined ? all : { ...all, anyOf: oneOf },
        ignoreFailure,
      }));
  });
  return fc.tuple(...entries);
});

test('in any graph, with any outcomes in any order, every task ends as in the reference implementation', (t) => {
  const outcome = fc.constantFrom<Outcome>('succeeded', 'succeeded', 'succeeded', 'failed', 'timeout', 'cancelled');
  const property = fc.property(
    dag,
    fc.array(outcome, { minLength: 14, maxLength: 14 }),
    fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
    fc.nat(),
    (entries, ends, picks, seed) => {
      const tasks: ListEntry[] = [...entries];
      const outcomes = Object.fromEntries(ends.map((end, n) => [`t${n}`, end]));
      const chooser = () => {
        let turn = 0;
        return (running: string[]) => [...running].sort()[(picks[turn++ % picks.length] ?? 0) % running.length] ?? '';
      };
      const expected = reference(tasks, outcomes, chooser());
      const shuffled = seed % 2 === 0 ? tasks : [...tasks].reverse();
      const run = new Run(graphOfList(graph(shuffled), lookups, api));
      const pick = chooser();
      while (run.running.length > 0 && run.snapshot.status === 'active') {
        const label = pick(run.running);
        run.end(label, outcomes[label] ?? 'succeeded');
      }
      t.deepEqual(run.ledger.states, expected.states as Ledger['states']);
      t.is(run.snapshot.value, expected.failed ? 'failed' : 'done');
    },
  );
  fc.assert(property, { numRuns: 400 });
});

test('a graph of 200 tasks runs to its end: a step for each, and the task that waits for all of them is the last', (t) => {
  const wide = Array.from({ length: 199 }, (_, n) => ({ label: `t${n}` }));
  const join = { label: 'join', waitOn: Object.fromEntries(wide.map(({ label }) => [label, 'succeeded'])) };
  const run = new Run(compile([...wide, join]));
  const ended: string[] = [];
  for (let label = run.running[0]; label !== undefined; label = run.running[0]) {
    run.end(label, 'succeeded');
    ended.push(label);
  }
  t.is(run.snapshot.value, 'done');
  t.is(new Set(ended).size, 200);
  t.is(ended.at(-1), 'join');
});
