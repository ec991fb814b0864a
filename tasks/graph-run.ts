/**
 * Runs another graph as a child workflow and waits for its end: on this workflow's node, which the child shares, or on
 * another node, which must be free. Cancelling this task cancels the child.
 *
 * Output: `{ workflowId, output }` of the child.
 */
import { childGraph, defineTask, type TaskInput, Type, withTarget } from 'nodewright/define';
import { assign, setup } from 'xstate';

const optionsSchema = Type.Object(
  {
    graphName: Type.String({ minLength: 1, description: 'The injectableName of the graph to run.' }),
    graphOptions: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Its options, by label; as in RackHD, `target` may name the node to run on.',
      }),
    ),
    nodeId: Type.Optional(Type.String({ minLength: 1, description: 'The node to run on; absent: the same node.' })),
    defaults: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Has no effect; graphs of RackHD carry it.' }),
    ),
  },
  { additionalProperties: false },
);

interface Options {
  graphName: string;
  graphOptions?: Record<string, unknown>;
  nodeId?: string;
}

interface Result {
  workflowId: string;
  output: unknown;
}

interface Context extends TaskInput<Options> {
  result?: Result;
}

const childOf = ({ graphName, graphOptions = {}, nodeId }: Options) => {
  const { options, node } = withTarget(graphOptions);
  const place = nodeId ?? node;
  return { name: graphName, options, ...(place === undefined ? {} : { nodeId: place }) };
};

export default defineTask<typeof optionsSchema, Result>({
  injectableName: 'Task.Graph.Run',
  friendlyName: 'Run a graph',
  recovery: 'idempotent',
  runs: { graph: 'graphName', options: 'graphOptions', node: 'nodeId' },
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options> },
    actors: { childGraph },
  }).createMachine({
    id: 'Task.Graph.Run',
    context: ({ input }) => input,
    initial: 'running',
    states: {
      running: {
        invoke: {
          src: 'childGraph',
          input: ({ context }) => childOf(context.options),
          onDone: { target: 'done', actions: assign({ result: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.result,
  }),
});
