/** All configurations of graphs: what they can reach, how they end, where they cannot go on. */
import test from 'ava';
import { assign, createMachine } from 'xstate';
import { defineGraph, FAILED, failTo, type GraphError } from '../../../engine/define/index.ts';
import { explore } from '../../../engine/kit/explore.ts';
import { graphOfJson } from '../../../engine/library/forms/graph-of-json.ts';
import { graphOfList } from '../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../engine/library/types.ts';
import noop from '../../../tasks/noop.ts';
import shell from '../../../tasks/shell-command.ts';
import waitNotification from '../../../tasks/wait-notification.ts';
import { everyGraph, everyTask } from '../../support/data/catalogue.ts';

const source = { kind: 'api' } as const;
const named = (name: string) => everyTask.find((task) => task.name === name);
const compiled = (machine: unknown): Graph => graphOf(machine, 'h', named, source);

for (const graph of everyGraph) {
  test(`${graph.name}: everything in it is reached, and it can end from everywhere`, (t) => {
    const { configurations, ends, truncated, ...found } = explore(graph);
    t.log(`${configurations} configurations, ${ends.length} ends`);
    t.like(found, { unreached: { states: [], labels: [] }, deadEnds: [], thrown: [], needOutputs: [] });
    t.false(truncated);
    t.true(found.succeeded > 0);
    for (const { path } of ends) t.is(path[0], 'launched');
    t.deepEqual(explore(graph), explore(graph), 'it is deterministic');
  });
}

interface Context {
  tries: number;
  error: GraphError | null;
}

const { createMachine: machineOf } = defineGraph(
  {
    injectableName: 'Graph.Explored',
    friendlyName: 'Explored',
    tasks: {
      first: noop,
      back: waitNotification,
      limited: { task: waitNotification, timeoutMs: 5 },
      late: noop,
      sh: shell,
    },
    examples: [{ outputs: { back: [{ go: true }, { go: false }] } }],
  },
  {} as { context: Context },
);

const explored = compiled(
  machineOf({
    id: 'Graph.Explored',
    context: { tries: 0, error: null },
    initial: 'starting',
    states: {
      starting: { invoke: { src: 'first', onDone: 'waiting', onError: failTo('failed') } },
      waiting: {
        invoke: {
          src: 'back',
          onDone: [{ guard: ({ event }) => event.output.go === true, target: 'passing' }, { target: 'stuck' }],
          onError: [
            {
              guard: ({ context }) => context.tries < 2,
              target: 'waiting',
              reenter: true,
              actions: assign({ tries: ({ context }) => context.tries + 1 }),
            },
            { target: 'failed' },
          ],
        },
      },
      passing: { always: 'resting' },
      resting: { after: { 3600000: 'limiting' } },
      limiting: { invoke: { src: 'limited', onDone: 'done', onError: 'done' } },
      island: { invoke: { src: 'late', onDone: 'done' } },
      stuck: {},
      done: { type: 'final' },
      failed: { type: 'final', tags: [FAILED] },
    },
  }),
);

test('a state and a label without a way in are unreached, and a state without a way out is a dead end', (t) => {
  const found = explore(explored);
  t.deepEqual(found.unreached, { states: ['Graph.Explored.island'], labels: ['late', 'sh'] });
  t.is(found.deadEnds[0]?.state, 'stuck');
  t.deepEqual(found.deadEnds[0]?.path, ['launched', 'first succeeds', 'back succeeds with {"go":false}']);
  t.deepEqual(found.noTimeout, ['back']);
  t.deepEqual(found.onceWithoutProbe, ['sh']);
});

test('each end has a shortest path, as readable steps', (t) => {
  const { ends } = explore(explored);
  t.deepEqual(ends.find(({ state }) => state === 'failed')?.path, ['launched', 'first fails']);
  t.deepEqual(ends.find(({ status }) => status === 'succeeded')?.path, [
    'launched',
    'first succeeds',
    'back succeeds with {"go":true}',
    '1h pass in Graph.Explored.resting',
    'limited succeeds',
  ]);
});

test('an endless counter in the context truncates the search, which says so and still finds the rest', (t) => {
  const { createMachine: make } = defineGraph(
    { injectableName: 'Graph.Counter', friendlyName: 'Counter', tasks: { poll: noop, next: noop } },
    {} as { context: { n: number } },
  );
  const graph = compiled(
    make({
      id: 'Graph.Counter',
      context: { n: 0 },
      initial: 'polling',
      states: {
        polling: {
          invoke: { src: 'poll', onDone: 'passing', onError: 'resting' },
        },
        resting: { entry: assign({ n: ({ context }) => context.n + 1 }), after: { 1000: 'polling' } },
        passing: {
          invoke: {
            src: 'next',
            onDone: [{ guard: ({ context }) => context.n < 0, target: 'done' }, { target: 'done' }],
          },
        },
        done: { type: 'final' },
      },
    }),
  );
  const found = explore(graph);
  t.true(found.truncated);
  t.deepEqual(found.unreached, { states: [], labels: [] });
  t.deepEqual(found.deadEnds, []);
  t.true(found.configurations < 2_000);
});

test('a list graph with more configurations than the limit is explored by single runs', (t) => {
  const tasks = Array.from({ length: 40 }, (_, n) => ({ label: `t${n}`, taskName: 'Task.noop' }));
  const last = { label: 'last', taskName: 'Task.noop', waitOn: { t39: 'failed' } };
  const never = { label: 'never', taskName: 'Task.noop', waitOn: { last: 'failed', t39: 'succeeded' } };
  const json = { friendlyName: 'Wide', injectableName: 'Graph.Wide', tasks: [...tasks, last, never] };
  const found = explore(graphOfList(json, { any: named, code: named }, source));
  t.true(found.truncated);
  t.deepEqual(found.unreached, { states: [], labels: ['never'] });
  t.true(found.succeeded > 0);
});

test('code of a graph that throws is reported with its path; output that no example names is asked for', (t) => {
  const { createMachine: make } = defineGraph(
    { injectableName: 'Graph.Throws', friendlyName: 'Throws', tasks: { one: noop, two: noop } },
    {} as { context: { drives: number } },
  );
  const broken = () => {
    throw new Error('no such drive');
  };
  const graph = compiled(
    make({
      id: 'Graph.Throws',
      context: { drives: 0 },
      initial: 'one',
      states: {
        one: {
          invoke: {
            src: 'one',
            onDone: {
              target: 'two',
              actions: assign({ drives: ({ event }) => (event.output as never as { list: unknown[] }).list.length }),
            },
            onError: 'two',
          },
        },
        two: { invoke: { src: 'two', onDone: 'done', onError: { target: 'done', actions: assign(broken) } } },
        done: { type: 'final' },
      },
    }),
  );
  const found = explore(graph);
  t.deepEqual(
    found.needOutputs.map(({ label }) => label),
    ['one'],
  );
  t.deepEqual(found.thrown, [{ message: 'no such drive', path: ['launched', 'one fails', 'two fails'] }]);
});

test('a plain machine, and a machine as JSON, are explored too', (t) => {
  const machine = {
    initial: 'a',
    states: { a: { invoke: { src: 'one', onDone: 'b', onError: 'b' } }, b: { type: 'final' }, c: {} },
  };
  const json = { friendlyName: 'J', injectableName: 'Graph.J', machine, tasks: { one: 'Task.noop' } };
  const asJson = explore(graphOfJson(json, named, source));
  t.is(asJson.ends.length, 1);
  t.is(asJson.unreached.states.length, 1);
  const plain = createMachine({
    id: 'Graph.P',
    initial: 'a',
    states: { a: { invoke: { src: 'Task.noop', onDone: 'b' } }, b: { type: 'final' } },
  });
  t.like(explore(compiled(plain)), { succeeded: 1, failed: 1, unreached: { states: [], labels: [] } });
});
