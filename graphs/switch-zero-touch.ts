/**
 * Graph.Switch.ZeroTouch: discovers a switch whose zero-touch provisioning runs the daemon's agent: its catalog, its SKU,
 * `node.discovered`, then the SKU's graph.
 *
 * - It starts by itself for a switch that asks `/profiles/switch/:vendor` for the first time.
 * - It waits for the agent, as long as the switch takes. A failure is stored in the node's record.
 *
 * The graph itself is read-only; the SKU's graph may not be. Documentation: docs/operate/switches.md.
 */
import { type DiscoveryOutcome, defineGraph, FAILED, failTo, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import catalogSwitch from '../tasks/catalog-switch.ts';
import graphRun from '../tasks/graph-run.ts';
import nodeDiscovered from '../tasks/node-discovered.ts';
import nodeError from '../tasks/node-error.ts';

interface Context {
  outcome: DiscoveryOutcome | null;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Switch.ZeroTouch',
    friendlyName: 'Discover a switch by zero-touch provisioning',
    tasks: {
      'catalog-switch': { task: catalogSwitch, timeoutMs: 120 * MINUTE_MS },
      classify: nodeDiscovered,
      'run-sku-graph': graphRun,
      'note-error': nodeError,
    },
    examples: [
      {},
      { outputs: { classify: [{ sku: 'the id of a SKU', graphName: 'Graph.Of.The.Sku', graphOptions: {} }] } },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Switch.ZeroTouch',
  context: { outcome: null, error: null },
  initial: 'reading',
  states: {
    reading: { invoke: { src: 'catalog-switch', onDone: 'classifying', onError: failTo('noting') } },
    classifying: {
      invoke: {
        src: 'classify',
        onDone: [
          {
            guard: ({ event }) => typeof event.output?.graphName === 'string',
            target: 'running',
            actions: assign({ outcome: ({ event }) => event.output }),
          },
          { target: 'discovered', actions: assign({ outcome: ({ event }) => event.output }) },
        ],
        onError: failTo('noting'),
      },
    },
    running: {
      invoke: {
        src: 'run-sku-graph',
        input: ({ context: { outcome } }) => ({
          graphName: outcome?.graphName ?? '',
          graphOptions: outcome?.graphOptions ?? {},
        }),
        onDone: 'discovered',
        onError: failTo('noting'),
      },
    },
    noting: {
      invoke: {
        src: 'note-error',
        input: ({ context: { error } }) => ({ code: error?.code ?? '', message: error?.message ?? '' }),
        onDone: 'failed',
        onError: 'failed',
      },
    },
    discovered: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context: { outcome } }) => ({ sku: outcome?.sku ?? null, graphName: outcome?.graphName ?? null }),
});
