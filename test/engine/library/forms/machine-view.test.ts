/** The machine of each graph as JSON has all of its states, and each target is one of them. */
import test from 'ava';
import { machineView } from '../../../../engine/library/forms/machine-view.ts';
import type { StateView } from '../../../../engine/vocabulary/machine-shape.ts';
import { everyGraph } from '../../../support/data/catalogue.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const all = (state: StateView): StateView[] => [state, ...state.states.flatMap(all)];

test('every target of every graph is a state of its view, and every label is invoked by one', (t) => {
  for (const graph of everyGraph) {
    const { root, tasks, definitionHash } = machineView(graph);
    t.is(definitionHash, graph.hash);
    const states = all(root);
    const paths = new Set(states.map(({ path }) => path.join('.')));
    for (const { path, transitions, initial } of states) {
      for (const { targets } of transitions)
        for (const target of targets) t.true(paths.has(target), `${graph.name} ${target}`);
      if (initial !== null) t.true(paths.has([...path, initial].join('.')), graph.name);
    }
    t.deepEqual(JSON.parse(JSON.stringify(root)), root, 'it is plain JSON');
    if (graph.kind === 'list') continue;
    const invoked = new Set(states.flatMap(({ invokes }) => invokes.map(({ label }) => label)));
    t.deepEqual(
      tasks.map(({ label }) => label).filter((label) => !invoked.has(label)),
      [],
      graph.name,
    );
  }
});

test('a graph that was replaced is found by the hash of its version', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const graph = (duration: number) => ({
    friendlyName: `Sleeps ${duration}`,
    injectableName: 'Graph.Test.Versions',
    tasks: [{ label: 'sleep', taskName: 'Task.Sleep', optionOverrides: { duration } }],
  });
  const { library, graphVersions } = it.engine;
  await library.putGraph(graph(1));
  const [first] = await graphVersions.list('Graph.Test.Versions');
  await library.putGraph(graph(2));
  const versions = await graphVersions.list('Graph.Test.Versions');
  t.is(versions.length, 2);
  t.deepEqual(versions.filter(({ isCurrent }) => isCurrent).length, 1);
  t.is((await library.graph('Graph.Test.Versions'))?.friendlyName, 'Sleeps 2');
  t.is((await library.graph('Graph.Test.Versions', first?.hash))?.friendlyName, 'Sleeps 1');
  t.is((await library.machine('Graph.Test.Versions', first?.hash))?.definitionHash, first?.hash);
  t.is(await library.graph('Graph.Demo.InstallOs', first?.hash), undefined, 'it is a version of another graph');
  t.is(await library.graph('Graph.Test.Versions', 'none'), undefined);
  t.deepEqual(await graphVersions.list('Graph.None'), []);
});
