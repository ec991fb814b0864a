/** Calls to modules that are opened later. */
import test from 'ava';
import { Edges, type LateEdges } from '../../../engine/assembly/late-edges.ts';

test('an edge calls what it is connected to, with its arguments and its result', async (t) => {
  const edges = new Edges();
  const decommission = edges.to('decommission');
  edges.connect({ decommission: async (node) => `workflow on ${node}` } as LateEdges);
  t.is(await decommission('n1'), 'workflow on n1');
});

test('an edge that is called before it is connected says which one it is', (t) => {
  const decommission = new Edges().to('decommission');
  t.throws(() => decommission('n1'), { message: 'decommission was called before the engine was connected' });
});
