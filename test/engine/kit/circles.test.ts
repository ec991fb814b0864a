/** Graphs that run themselves: the circle is written out, and whether each run of it fails. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { checkGraphFiles } from '../../../engine/kit/check-file.ts';
import { circleOf } from '../../../engine/kit/circles.ts';
import { warningsOf } from '../../../engine/kit/findings.ts';
import { graphOfJson } from '../../../engine/library/forms/graph-of-json.ts';
import { graphOfList } from '../../../engine/library/forms/list-of-tasks.ts';
import type { Graph } from '../../../engine/library/types.ts';
import { folder } from '../../support/ava/folder.ts';
import { everyTask } from '../../support/data/catalogue.ts';

const source = { kind: 'api' } as const;
const named = (name: string) => everyTask.find((task) => task.name === name);
const RUN = 'Task.Graph.Run';

const listJson = (name: string, options: Record<string, object>, more: object = {}) => ({
  injectableName: name,
  friendlyName: name,
  tasks: Object.keys(options).map((label) => ({ label, taskName: RUN, ...more })),
  options,
});
const listOf = (...json: Parameters<typeof listJson>) =>
  graphOfList(listJson(...json), { any: named, code: named }, source);

/** A machine that runs a child only after a failure of its task. */
const fallbackOf = (name: string, graphName: string) =>
  graphOfJson(
    {
      injectableName: name,
      friendlyName: name,
      machine: {
        initial: 'a',
        states: {
          a: { invoke: { src: 'Task.noop', id: 'first', onDone: 'z', onError: 'b' } },
          b: { invoke: { src: RUN, input: { graphName }, onDone: 'z' } },
          z: { type: 'final' },
        },
      },
    },
    named,
    source,
  );

function circleIn(first: Graph, ...others: Graph[]): [string, boolean] | undefined {
  const circle = circleOf(first, (name) => others.find((graph) => graph.name === name));
  return circle && [circle.text, circle.isEndless];
}

test('a graph that runs itself, directly or by others, is endless if each of them needs its child', (t) => {
  const self = listOf('Graph.Self', { again: { graphName: 'Graph.Self' } });
  t.deepEqual(circleIn(self), ['Graph.Self (again) -> Graph.Self', true]);
  const a = listOf('Graph.A', { b: { graphName: 'Graph.B' } });
  const b = listOf('Graph.B', { a: { graphName: 'Graph.A', nodeId: 'another' } });
  t.deepEqual(circleIn(a, b), ['Graph.A (b) -> Graph.B (a) -> Graph.A', true]);
  t.deepEqual(circleIn(b, a), ['Graph.B (a) -> Graph.A (b) -> Graph.B', true]);
  t.is(circleIn(a), undefined, 'the other one is not known');
});

test('a circle that a graph can do without may end', (t) => {
  const tolerant = listOf('Graph.A', { b: { graphName: 'Graph.B' } }, { ignoreFailure: true });
  const b = listOf('Graph.B', { a: { graphName: 'Graph.A' } });
  t.deepEqual(circleIn(b, tolerant), ['Graph.B (a) -> Graph.A (b) -> Graph.B', false]);
  const fallback = fallbackOf('Graph.F', 'Graph.F');
  t.deepEqual(circleIn(fallback), ['Graph.F (Task.Graph.Run) -> Graph.F', false]);
});

test('a graph beside a circle, and one that gives its copy another graph to run, run in no circle', (t) => {
  const self = listOf('Graph.Self', { again: { graphName: 'Graph.Self' } });
  t.is(circleIn(listOf('Graph.Before', { it: { graphName: 'Graph.Self' } }), self), undefined);
  const other = { again: { graphName: 'Graph.Other' } };
  t.is(circleIn(listOf('Graph.Two', { again: { graphName: 'Graph.Two', graphOptions: other } })), undefined);
  t.is(circleIn(listOf('Graph.Asked', { again: { graphName: '{{ options.next }}' } })), undefined);
});

test('the search has an end, however many graphs run each other', (t) => {
  const labels = Array.from({ length: 20 }, (_, n) => [`l${n}`, { graphName: `Graph.N${n}` }] as const);
  const all = Array.from({ length: 20 }, (_, n) => listOf(`Graph.N${n}`, Object.fromEntries(labels)));
  t.truthy(circleIn(all[0] as Graph, ...all));
});

test('the findings say it with the circle, and the check of files knows the graphs beside each', async (t) => {
  const self = listOf('Graph.Self', { again: { graphName: 'Graph.Self' } });
  const [endless] = warningsOf(self, { graphs: () => undefined }).warnings;
  t.like(endless, { code: 'LAUNCH_FAILS' });
  t.regex(endless?.message ?? '', /endlessly.*TOO_MANY_CHILDREN.*: Graph\.Self \(again\) -> Graph\.Self$/);
  const [guarded] = warningsOf(fallbackOf('Graph.F', 'Graph.F'), { graphs: () => undefined }).warnings;
  t.like(guarded, { code: 'RUNS_ITSELF' });

  const graphs = join(folder(t), 'graphs');
  mkdirSync(graphs);
  const files = ['A', 'B'].map((name, at) => {
    const file = join(graphs, `${name.toLowerCase()}.json`);
    writeFileSync(file, JSON.stringify(listJson(`Graph.${name}`, { next: { graphName: `Graph.${'BA'[at]}` } })));
    return file;
  });
  const codesOf = async (some: readonly string[]) =>
    (await checkGraphFiles(some)).map(({ warnings }) => warnings.map(({ code }) => code));
  t.deepEqual(await codesOf(files), [['LAUNCH_FAILS'], ['LAUNCH_FAILS']]);
  t.deepEqual(await codesOf(files.slice(0, 1)), [[]]);
});
