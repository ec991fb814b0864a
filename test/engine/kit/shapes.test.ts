/** Graphs of every shape and source: explored, simulated and tested alike. */
import test from 'ava';
import { createMachine } from 'xstate';
import {
  type AnyGraph,
  type CompileOptions,
  explore,
  graphFrom,
  harness,
  simulate,
} from '../../../engine/kit/index.ts';
import type { Graph } from '../../../engine/library/types.ts';
import { link } from '../../../engine/library/versions/link.ts';
import { namedFor } from '../../../engine/library/versions/sku-definitions.ts';
import { entryOfPack } from '../../../engine/library/versions/sources.ts';
import graphRun from '../../../tasks/graph-run.ts';
import noop from '../../../tasks/noop.ts';
import sleep from '../../../tasks/sleep.ts';
import waitNotification from '../../../tasks/wait-notification.ts';

const tasks = [noop, sleep, waitNotification, graphRun];

/** As Stately exports it: a state that is parallel, one with a history, delays, and nested invokes. */
const drawn = {
  id: 'drawn',
  initial: 'burning',
  states: {
    burning: {
      type: 'parallel',
      states: {
        disks: {
          initial: 'first',
          states: {
            first: { invoke: { src: 'disks', onDone: { target: 'second' }, onError: { target: '#drawn.pausing' } } },
            second: { invoke: { src: 'more', onDone: { target: 'done' } } },
            done: { type: 'final' },
            hist: { type: 'history', history: 'shallow' },
          },
        },
        memory: { initial: 'on', states: { on: { after: { 5000: { target: 'off' } } }, off: { type: 'final' } } },
      },
      onDone: { target: 'waiting' },
    },
    pausing: { after: { 60000: { target: '#drawn.burning.disks.hist' } } },
    waiting: {
      initial: 'asking',
      after: { 3600000: { target: 'failed' } },
      states: { asking: { invoke: { src: 'back', onDone: { target: '#drawn.done' } } } },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: ['failed'] },
  },
};

const asJson = {
  friendlyName: 'Drawn',
  injectableName: 'Graph.Drawn',
  machine: drawn,
  tasks: { disks: 'Task.noop', more: 'Task.noop', back: 'Task.Wait.Notification' },
};

test('a drawn machine with parallel, history and delayed states is explored whole', (t) => {
  const found = explore(asJson, { tasks });
  t.like(found, { truncated: false, deadEnds: [], thrown: [], noTimeout: [], unreached: { states: [], labels: [] } });
  t.true(found.ends.some(({ path }) => path.some((step) => step === '1m pass in drawn.pausing')));
});

test('a drawn machine is simulated: it pauses, returns to the state of its history, and waits', async (t) => {
  const run = simulate(asJson, { tasks, ends: { disks: ['fail', 'ok'] } });
  run.until('pausing');
  t.is(run.elapsedMs, 0);
  run.until('waiting');
  t.is(run.elapsedMs, 65_000);
  t.is(run.advance('2h').status, 'failed');
  t.is((await harness(asJson, { tasks })).problems.length, 0);
});

const list = (name: string, taskName: string) => ({
  friendlyName: 'L',
  injectableName: name,
  tasks: [
    { label: 'a', taskName, optionOverrides: { duration: 1_000 } },
    { label: 'b', taskName: 'Task.noop', waitOn: { a: 'finished' } },
  ],
});

/** The graph of a pack, with a task of the pack. */
async function packed(): Promise<Graph> {
  const nap = { friendlyName: 'Nap', injectableName: 'Task.Nap', implementsTask: 'Task.Sleep' };
  const definitions = [namedFor('sku-1', 'task', nap), namedFor('sku-1', 'graph', list('Graph.Packed', 'Task.Nap'))];
  const none = () => Promise.reject(new Error('no code'));
  const entries = await Promise.all(definitions.map((definition) => entryOfPack(definition, none)));
  const code = [noop, sleep].map((exported) => {
    const body = { kind: 'module', text: '', hash: exported.injectableName, exported } as const;
    const source = { kind: 'file', file: exported.injectableName } as const;
    return { at: exported.injectableName, what: 'task', inputs: [], newest: { what: 'task', body, source } } as const;
  });
  const { graphs, errors } = link([...code, ...entries], '2026-01-01T00:00:00.000Z');
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  return graphs.get('Graph.Packed::sku-1') as Graph;
}

const plain = createMachine({
  id: 'Graph.Plain.Nested',
  initial: 'outer',
  states: {
    outer: {
      invoke: { id: 'nap', src: 'Task.Sleep', input: { duration: 2_000 }, onDone: 'done', onError: 'failed' },
      initial: 'inner',
      states: { inner: { invoke: { id: 'child', src: 'Task.Graph.Run', input: { graphName: 'Graph.X' } } } },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: ['failed'] },
  },
});

const sources: [what: string, make: () => AnyGraph | Promise<AnyGraph>, options: CompileOptions][] = [
  ['a list of tasks', () => list('Graph.Listed', 'Task.Sleep'), { tasks }],
  ['a machine as JSON', () => asJson, { tasks }],
  ['a plain machine with nested invokes', () => plain, { tasks }],
  ['a module', () => ({ default: plain }), { tasks }],
  ['a graph of a pack', packed, {}],
  ['a graph that is compiled', () => graphFrom(plain, { tasks }), {}],
];

for (const [what, make, options] of sources) {
  test(`every function takes ${what}`, async (t) => {
    const graph = await make();
    const found = explore(graph, options);
    t.like(found, { deadEnds: [], thrown: [], unreached: { states: [], labels: [] } });
    t.true(found.succeeded > 0);
    const run = simulate(graph, options).answering([{ ip: 'x' }]);
    t.is(run.status, 'succeeded', run.trace.join('\n'));
    const { failures, kills } = await harness(graph, options);
    t.true(failures.passed === failures.tried && kills.passed === kills.tried && kills.tried > 0);
  });
}
