/** Calls to modules that are opened later. */
import test from 'ava';
import { type LateCalls, LateLinks } from '../../../engine/assembly/late-calls.ts';

test('an edge calls what it is connected to, with its arguments and its result', async (t) => {
  const lateLinks = new LateLinks();
  const decommission = lateLinks.to('decommission');
  lateLinks.connect({ decommission: async (node) => `workflow on ${node}` } as LateCalls);
  t.is(await decommission('n1'), 'workflow on n1');
});

test('an edge that is called before it is connected says which one it is', (t) => {
  const decommission = new LateLinks().to('decommission');
  t.throws(() => decommission('n1'), { message: 'decommission was called before the engine was connected' });
});
