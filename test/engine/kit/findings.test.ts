/** Findings about graphs: every warning, and rejections with all that is wrong. */
import test from 'ava';
import { and, assign, createMachine, not, or, setup } from 'xstate';
import { defineGraph } from '../../../engine/define/index.ts';
import { findingsOf, warningsOf } from '../../../engine/kit/findings.ts';
import { graphOfJson } from '../../../engine/library/forms/graph-of-json.ts';
import { graphOfList } from '../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../engine/library/types.ts';
import { warningMeanings } from '../../../engine/vocabulary/warning-codes.ts';
import rest from '../../../tasks/run-rest-command.ts';
import sleep from '../../../tasks/sleep.ts';
import { everyGraph, everyTask } from '../../support/data/catalogue.ts';

const source = { kind: 'api' } as const;
const named = (name: string) => everyTask.find((task) => task.name === name);
const compiled = (machine: unknown): Graph => graphOf(machine, 'h', named, source);
const end = { type: 'final' } as const;

const briefly = (graph: Graph) =>
  warningsOf(graph).warnings.map(({ code, state, label, path }) => [code, state ?? label ?? path ?? '']);

test('a machine: states and labels that nothing reaches, dead ends, unsent events, stubs, waits, crashes, needs', (t) => {
  const machine = setup({
    actions: { tell: () => {} },
    guards: {
      // biome-ignore lint/complexity/useArrowFunction: as an editor writes it
      isReady: function () {
        return true;
      },
    },
    actors: {},
  } as object).createMachine({
    id: 'Graph.Warned',
    initial: 'a',
    states: {
      a: { entry: 'tell', invoke: { id: 'first', src: 'Task.noop', onDone: [{ guard: 'isReady', target: 'b' }, 'c'] } },
      b: { invoke: { id: 'back', src: 'Task.Wait.Notification', onDone: 'd', onError: 'stuck' } },
      c: { invoke: { id: 'island', src: 'Task.noop', onDone: 'd' } },
      d: { invoke: { id: 'power', src: 'Task.Obm.Node.PowerOn', onDone: 'e' } },
      e: { on: { 'disk ready': 'z' }, invoke: { id: 'sh', src: 'Task.Fixture.WriteOnce', onDone: 'z' } },
      stuck: {},
      z: end,
    },
  } as object);
  const expected = [
    ['NEVER_REACHED', 'c'],
    ['NO_END', 'stuck'],
    ['OPTION_REQUIRED', 'options.sh.ledger'],
    ['OPTION_REQUIRED', 'options.sh.line'],
    ['EVENT_NEVER_SENT', 'e'],
    ['ACTION_IS_STUB', 'actions.tell'],
    ['GUARD_IS_STUB', 'guards.isReady'],
    ['NO_TIMEOUT', 'back'],
    ['ONCE_WITHOUT_PROBE', 'sh'],
    ['NEEDS_OBM', 'power'],
  ];
  const graph = compiled(machine);
  t.deepEqual(briefly(graph), expected);
  for (const { code, message } of warningsOf(graph).warnings) t.true(code in warningMeanings && message.length > 10);
  const { explored } = warningsOf(graph);
  t.true(explored !== null && explored.ends === explored.succeeded + explored.failed && explored.ends > 0);
});

/** A graph whose second state depends on a guard; it may also assign. */
const guarded = (guard: unknown, assigned: unknown = 1) =>
  compiled(
    setup({ types: {} as { context: { value: unknown } } } as object).createMachine({
      id: 'Graph.Guarded',
      context: { value: 0 },
      initial: 'a',
      states: {
        a: {
          invoke: {
            id: 'first',
            src: 'Task.noop',
            onDone: [{ guard, target: 'z', actions: assign({ value: assigned } as object) }, 'b'],
          },
        },
        b: end,
        z: end,
      },
    } as object),
  );

const codesOf = (graph: Graph) => warningsOf(graph).warnings.map(({ code }) => code);

test('code that reads the clock or random numbers is not pure, wherever it decides', (t) => {
  const reads: [string, () => unknown][] = [
    ['Date.now()', () => Date.now() > 0],
    ['new Date()', () => new Date().getFullYear() > 2000],
    ['Date()', () => Date().length > 0],
    ['performance.now()', () => performance.now() >= 0],
    ['Math.random()', () => Math.random() >= 0],
    ['crypto.randomUUID()', () => crypto.randomUUID().length === 36],
  ];
  for (const [read, guard] of reads) {
    for (const graph of [guarded(guard), guarded(() => true, guard)]) {
      const [first] = warningsOf(graph).warnings.filter(({ code }) => code === 'NOT_PURE');
      t.true(first?.message.includes(`reads ${read}, so`), read);
      t.regex(first?.message ?? '', /: launched, then first succeeds/);
    }
  }
  const { now } = Date;
  const pure = () => new Date('2026-01-01').getTime() < Date.parse('2027-01-01') && new Date(0) instanceof Date;
  t.false(codesOf(guarded(pure)).includes('NOT_PURE'));
  t.is(Date.now, now, 'the clock is the real one again');
});

test('a value that cannot be saved is an error of the graph, which an example of an output does not change', (t) => {
  for (const value of [new Date(0), () => 1, 12n, 'x'.repeat(9 * 2 ** 20)]) {
    const assigned = () => value;
    const codes = codesOf(guarded(() => true, assigned));
    t.true(codes.includes('GRAPH_THROWS'));
    t.false(codes.includes('OUTPUT_UNKNOWN'));
  }
});

test('an asynchronous guard always holds, also as a part of another one', (t) => {
  const guard = (async () => false) as unknown as () => boolean;
  for (const one of [guard, not(guard), and([() => true, or([guard])])]) {
    const found = warningsOf(guarded(one as typeof guard)).warnings;
    t.like(
      found.find(({ code }) => code === 'GUARD_IS_ASYNC'),
      { state: 'a' },
    );
  }
  t.false(codesOf(guarded(() => false)).includes('GUARD_IS_ASYNC'));
});

test('a template in what a function returns stays text', (t) => {
  const withInput = (input: unknown) => {
    const invoke = { id: 'one', src: 'Task.noop', input, onDone: 'z' };
    return compiled(createMachine({ id: 'Graph.Input', initial: 'a', states: { a: { invoke }, z: end } } as object));
  };
  const { warnings } = warningsOf(withInput(() => ({ delay: 1, url: `a ${'b'} {{ task.callback }}` })));
  t.like(
    warnings.find(({ code }) => code === 'TEMPLATE_IN_INPUT'),
    { label: 'one' },
  );
  for (const input of [() => ({ delay: 1 }), { delay: '{{ env.delay }}' }])
    t.false(codesOf(withInput(input)).includes('TEMPLATE_IN_INPUT'));
});

test('a list of tasks and a machine in JSON are warned about likewise', (t) => {
  const wait = { label: 'wait', taskName: 'Task.Wait.Notification' };
  const both = { all: named, any: named, code: named };
  const list = { friendlyName: 'x', injectableName: 'Graph.X', tasks: [wait] };
  t.deepEqual(briefly(graphOfList(list, both, source)), [['NO_TIMEOUT', 'wait']]);
  const states = { a: { invoke: { src: 'wait', onDone: 'z' } }, b: {}, z: end };
  const json = { friendlyName: 'x', injectableName: 'Graph.X', machine: { initial: 'a', states } };
  t.deepEqual(briefly(graphOfJson({ ...json, tasks: { wait: 'Task.Wait.Notification' } }, named, source)), [
    ['NEVER_REACHED', 'b'],
    ['NO_TIMEOUT', 'wait'],
  ]);
});

test('no included graph has an unreachable part, a dead end or code that fails', (t) => {
  const severe = [
    ...['ENDS_AS_SUCCESS', 'NEVER_REACHED', 'NO_END', 'GRAPH_THROWS'],
    ...['EVENT_NEVER_SENT', 'NOT_EXPLORED', 'NOT_PURE', 'GUARD_IS_ASYNC', 'TEMPLATE_IN_INPUT'],
  ];
  const found = everyGraph.flatMap((graph) => warningsOf(graph).warnings.map(({ code }) => [graph.name, code]));
  t.deepEqual(
    found.filter(([, code]) => severe.includes(code as string)),
    [],
  );
});

test('a rejected graph has all errors with their places, and no warnings', (t) => {
  const machine = createMachine({
    initial: 'a',
    states: {
      a: { entry: () => console.log(1), invoke: { src: 'one', onDone: 'b' } },
      b: { exit: 'nowhere', invoke: { src: 'two', onDone: 'b' } },
    },
  } as object);
  const { ok, name, errors, warnings, explored } = findingsOf('Graph.Bad', () => compiled(machine));
  t.deepEqual([ok, name, warnings, explored], [false, 'Graph.Bad', [], null]);
  t.deepEqual(errors.map(({ path }) => path).sort(), [
    '',
    'id',
    'states.a',
    'states.a.invoke',
    'states.b',
    'states.b.invoke',
  ]);
});

test('a list with faults of several kinds has all of them', (t) => {
  const tasks = [
    { label: 'a', taskName: 'Task.None' },
    { label: 'b', taskName: 'Task.noop', waitOn: { c: 'succeeded' }, optionOverrides: { delay: -1 } },
    { label: 'b', taskDefinition: { friendlyName: 'x', injectableName: 'Task.X', implementsTask: 'Task.None' } },
  ];
  const list = { friendlyName: 'x', injectableName: 'Graph.X', tasks, options: { a: { any: 1 } } };
  const { errors } = findingsOf(null, () => graphOfList(list, { any: named, code: named }, source));
  t.deepEqual(errors.map(({ path }) => path).sort(), [
    'tasks.0.taskName',
    'tasks.1.optionOverrides.delay',
    'tasks.1.waitOn.c',
    'tasks.2.label',
    'tasks.2.taskDefinition.implementsTask',
  ]);
});

test('a graph with very many configurations is explored no longer than allowed', (t) => {
  const region = (n: number) => ({
    initial: 'a',
    states: { a: { invoke: { src: 'Task.noop', id: `l${n}`, onDone: 'b' } }, b: end },
  });
  const states = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`r${n}`, region(n)]));
  const graph = compiled(createMachine({ id: 'Graph.Wide', type: 'parallel', states } as object));
  const before = performance.now();
  const { warnings, explored } = warningsOf(graph, { budgetMs: 50 });
  t.is(explored, null);
  t.deepEqual(
    warnings.map(({ code }) => code),
    ['NOT_EXPLORED'],
  );
  t.true(performance.now() - before < 5_000);
});

test('an error of another kind is no finding', (t) => {
  t.throws(
    () =>
      findingsOf(null, () => {
        throw new TypeError('a bug');
      }),
    { instanceOf: TypeError },
  );
});

test('a final state that only failures lead to, without the tag failed, is warned of; the other branch of a condition is not', (t) => {
  const noop = (more: object) => ({ invoke: { src: 'Task.noop', ...more } });
  const first = noop({ onDone: 'asked', onError: 'tidying' });
  const asked = { invoke: { src: 'Task.Evaluate.Condition', onDone: 'Done', onError: 'NotNeeded' } };
  const tidying = { initial: 'x', states: { x: { always: 'y' }, y: end }, onDone: 'Failed' };
  const ends = { Done: end, NotNeeded: end, Failed: end };
  const machine = (more: object) => ({ initial: 'first', states: { first, asked, tidying, ...ends, ...more } });
  const compiledJson = (given: object) =>
    graphOfJson({ friendlyName: 'F', injectableName: 'Graph.F', machine: given }, named, source);
  const warned = (graph: Graph) => warningsOf(graph).warnings.filter(({ code }) => code === 'ENDS_AS_SUCCESS');
  for (const make of [compiledJson, (given: object) => compiled(createMachine({ id: 'Graph.F', ...given } as never))]) {
    t.like(warned(make(machine({}))), [{ code: 'ENDS_AS_SUCCESS', state: 'Failed' }]);
    t.regex(warned(make(machine({})))[0]?.message ?? '', /Failed is reached by onError only and has no tag 'failed'/);
    t.deepEqual(warned(make(machine({ Failed: { ...end, tags: ['failed'] } }))), []);
    t.deepEqual(
      warned(make(machine({ asked: noop({ onDone: 'Failed', onError: 'NotNeeded' }) }))).map(({ state }) => state),
      ['NotNeeded'],
    );
  }
});

test('an example that a launch would reject', (t) => {
  const { createMachine: make } = defineGraph({
    injectableName: 'Graph.Example',
    friendlyName: 'Example',
    tasks: { nap: sleep },
    examples: [{}, { options: { nap: { duration: 5, naps: 6 } as object } }, { options: { nap: { duration: 1_000 } } }],
  });
  const machine = make({
    id: 'Graph.Example',
    initial: 'a',
    states: { a: { invoke: { src: 'nap', onDone: 'z' } }, z: end },
  });
  const { warnings } = warningsOf(compiled(machine));
  t.deepEqual(
    warnings.map(({ code, path }) => [code, path]),
    [['EXAMPLE_INVALID', 'examples.1.options.nap.naps']],
  );
});

test('a launch that fails in its first step with each example', (t) => {
  const graphWith = (examples: object[]) => {
    const { createMachine: make } = defineGraph(
      { injectableName: 'Graph.First', friendlyName: 'F', tasks: { nap: sleep }, examples } as const,
      {} as { context: { count: number } },
    );
    const countOf = (options: { nap?: { duration?: number } }) => 60_000 / (options.nap?.duration ?? 0);
    const states = { a: { invoke: { src: 'nap' as const, onDone: 'z' } }, z: end };
    const context = ({ input }: { input: { options: object } }) => ({ count: countOf(input.options) });
    return compiled(make({ id: 'Graph.First', context, initial: 'a', states } as never));
  };
  const codesWith = (examples: object[]) => warningsOf(graphWith(examples)).warnings.map(({ code }) => code);
  const fast = { options: { nap: { duration: 0 } } };
  const slow = { options: { nap: { duration: 1_000 } } };
  t.deepEqual(codesWith([fast]), ['LAUNCH_FAILS']);
  t.regex(
    warningsOf(graphWith([fast])).warnings[0]?.message ?? '',
    /context\.count is Infinity.*an example that works/,
  );
  t.deepEqual(codesWith([fast, slow]), ['GRAPH_THROWS']);
  t.deepEqual(codesWith([slow]), []);
});

test('an option that each launch has to give: neither the graph, its input, its defaults nor an example does', (t) => {
  const write = { label: 'w', taskName: 'Task.Fixture.WriteOnce' };
  const required = (more: object, task: object = {}) => {
    const list = { friendlyName: 'x', injectableName: 'Graph.X', tasks: [{ ...write, ...task }], ...more };
    const { warnings } = warningsOf(graphOfList(list, { any: named, code: named }, source));
    return warnings.filter(({ code }) => code === 'OPTION_REQUIRED').map(({ path }) => path);
  };
  t.deepEqual(required({}), ['options.w.ledger', 'options.w.line']);
  t.deepEqual(required({ options: { defaults: { ledger: '{{ sku.ledger }}' } } }), ['options.w.line']);
  t.deepEqual(required({ options: { w: { line: 'a' } } }, { optionOverrides: { ledger: 'l' } }), []);
  const machineWith = (more: object, input?: unknown) => {
    const { createMachine: make } = defineGraph({
      injectableName: 'Graph.X',
      friendlyName: 'x',
      tasks: { r: rest },
      ...more,
    });
    const states = { a: { invoke: { src: 'r', input, onDone: 'z' } }, z: end };
    const { warnings } = warningsOf(compiled(make({ id: 'Graph.X', initial: 'a', states } as never)));
    return warnings.filter(({ code }) => code === 'OPTION_REQUIRED').map(({ message }) => message);
  };
  t.deepEqual(machineWith({}), [
    'r (Task.Run.Rest.Command) requires an option that the graph does not give; each launch has to give options.r.url',
  ]);
  const url = 'http://127.0.0.1:1/';
  t.deepEqual(machineWith({}, { url }), []);
  t.deepEqual(
    machineWith({}, () => ({ url })),
    [],
  );
  t.deepEqual(machineWith({ examples: [{}, { options: { r: { url } } }] }), []);
});
