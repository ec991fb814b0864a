/**
 * Assigns the SKU of the node and runs the graph that the SKU names, on this node; without one it ends immediately.
 *
 * Output: `{ sku, workflowId }`; the latter is null without a graph.
 */
import {
  activity,
  childGraph,
  type DiscoveryOutcome,
  defineTask,
  PermanentError,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';

interface Context extends TaskInput<unknown> {
  found: DiscoveryOutcome | null;
  child: string | null;
}

const find = activity<unknown, DiscoveryOutcome>(async ({ nodeId, services }) => {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no SKU', 'NO_NODE');
  return services.classify(nodeId);
});

const optionsSchema = Type.Object({});

export default defineTask<typeof optionsSchema, { sku: string | null; workflowId: string | null }>({
  injectableName: 'Task.Graph.RunSku',
  friendlyName: 'Run the graph of the SKU',
  recovery: 'idempotent',
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<unknown> },
    actors: { find, childGraph },
    guards: { hasGraph: ({ context }) => context.found?.graphName != null },
  }).createMachine({
    id: 'Task.Graph.RunSku',
    context: ({ input }) => ({ ...input, found: null, child: null }),
    initial: 'finding',
    states: {
      finding: {
        invoke: { src: 'find', onDone: { target: 'found', actions: assign({ found: ({ event }) => event.output }) } },
      },
      found: { always: [{ guard: 'hasGraph', target: 'running' }, { target: 'done' }] },
      running: {
        invoke: {
          src: 'childGraph',
          input: ({ context: { found } }) => ({ name: found?.graphName ?? '', options: found?.graphOptions ?? {} }),
          onDone: { target: 'done', actions: assign({ child: ({ event }) => event.output.workflowId }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context: { found, child } }) => ({ sku: found?.sku ?? null, workflowId: child }),
  }),
});
