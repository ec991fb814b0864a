/**
 * Graph.Snmp.Discovery: identifies a switch or a PDU by SNMP: its catalogs, then its SKU, then `node.discovered`.
 *
 * - Launch it on a node with an `snmp-ibm-service`. Options: `catalog` with `timeoutMs`.
 * - It only reads. The graph of the SKU is not started.
 * - Cancel, crash, failure: what was read is kept; a new launch reads again.
 *
 * Documentation: docs/operate/switches.md.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import discovered from '../tasks/node-discovered.ts';
import catalog from '../tasks/snmp-catalog.ts';

interface Context {
  catalogs: string[];
  sku: string | null;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Snmp.Discovery',
    friendlyName: 'Discover a switch or a PDU by SNMP',
    tasks: { catalog: { task: catalog, timeoutMs: HOUR_MS }, discovered: { task: discovered } },
    examples: [{ outputs: { catalog: [{ catalogs: ['snmp', 'snmp-1'] }] } }],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Snmp.Discovery',
  context: { catalogs: [], sku: null, error: null },
  initial: 'reading',
  states: {
    reading: {
      invoke: {
        src: 'catalog',
        onDone: { target: 'classifying', actions: assign({ catalogs: ({ event }) => event.output?.catalogs ?? [] }) },
        onError: failTo('failed'),
      },
    },
    classifying: {
      invoke: {
        src: 'discovered',
        onDone: { target: 'done', actions: assign({ sku: ({ event }) => event.output?.sku ?? null }) },
        onError: failTo('failed'),
      },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context: { catalogs, sku } }) => ({ catalogs, sku }),
});
