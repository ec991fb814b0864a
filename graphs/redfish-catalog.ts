/**
 * Graph.Redfish.Catalog: reads the catalogs of a node from its BMC again, without a boot.
 *
 * - Options: none; the BMC is that of the node's redfish obm.
 * - It reads by Redfish only: no power is switched, and nothing but catalogs is changed.
 * - Cancel, crash, failure: what was read is kept; a new launch reads again.
 *
 * Documentation: docs/operate/discovery.md#catalogs-out-of-band.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import catalog from '../tasks/redfish-catalog.ts';

interface Context {
  catalogs: string[];
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Redfish.Catalog',
    friendlyName: 'Catalog a node by its BMC',
    tasks: { catalog: { task: catalog, timeoutMs: HOUR_MS } },
    examples: [{ outputs: { catalog: [{ catalogs: ['redfish-system'] }] } }],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Redfish.Catalog',
  context: { catalogs: [], error: null },
  initial: 'reading',
  states: {
    reading: {
      invoke: {
        src: 'catalog',
        onDone: { target: 'read', actions: assign({ catalogs: ({ event }) => event.output?.catalogs ?? [] }) },
        onError: failTo('failed'),
      },
    },
    read: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ catalogs: context.catalogs }),
});
