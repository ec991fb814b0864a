/** The machine of tasks whose job a graph of this project does: it runs the graph with their options, on the same node. */
import { assign, setup } from 'xstate';
import { childGraph, type TaskInput, Type } from '../../define/index.ts';

interface ChildResult {
  workflowId: string;
  output: unknown;
}

/** A launch thus knows the graph before it runs, with what it destroys and needs. */
export const fixedGraph = (name: string) =>
  Type.Unsafe<string>({ const: name, description: 'The graph that does it.' });

/** Where the name of the graph is. */
export const runsFixedGraph = { graph: 'graphName', options: 'graphOptions', node: 'nodeId' };

/** @param optionsOf of the graph, by label */
export function childMachine<Options extends { graphName: string }>(
  id: string,
  optionsOf: (options: Options) => Record<string, unknown>,
) {
  return setup({
    types: {} as {
      context: TaskInput<Options> & { result?: ChildResult };
      input: TaskInput<Options>;
      output: ChildResult | undefined;
    },
    actors: { childGraph },
  }).createMachine({
    id,
    context: ({ input }) => input,
    initial: 'running',
    states: {
      running: {
        invoke: {
          src: 'childGraph',
          input: ({ context: { options } }) => ({ name: options.graphName, options: optionsOf(options) }),
          onDone: { target: 'done', actions: assign({ result: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.result,
  });
}
