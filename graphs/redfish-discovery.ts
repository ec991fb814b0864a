/**
 * Graph.Redfish.Discovery: identifies nodes by their BMCs, without a boot.
 *
 * - Options: `discover` with `addresses`, `newHosts`, `credential`, `verifySSL` or `ca`, `protocol`, `port`, `budgetSec`; launched on a
 *   node without `addresses`: the BMC of its obm.
 * - It reads by Redfish only, and switches no power. With `newHosts` it creates nodes and obms.
 * - Cancel, crash, failure: what was read is kept; a new launch reads again, and finds the nodes that were created.
 *
 * Documentation: docs/operate/discovery.md#out-of-band.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import discover from '../tasks/redfish-discover.ts';

interface Context {
  bmcs: unknown[];
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Redfish.Discovery',
    friendlyName: 'Discover nodes by their BMCs',
    tasks: { discover: { task: discover, timeoutMs: 4 * HOUR_MS } },
    examples: [
      { options: { discover: { addresses: ['10.1.1.7'] } }, outputs: { discover: [{ bmcs: [] }] } },
      { outputs: { discover: [{ bmcs: [] }] } },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Redfish.Discovery',
  context: { bmcs: [], error: null },
  initial: 'discovering',
  states: {
    discovering: {
      invoke: {
        src: 'discover',
        onDone: { target: 'discovered', actions: assign({ bmcs: ({ event }) => event.output?.bmcs ?? [] }) },
        onError: failTo('failed'),
      },
    },
    discovered: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ bmcs: context.bmcs }),
});
