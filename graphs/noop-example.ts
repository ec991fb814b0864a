/** Graph.noop-example: two steps, then two in parallel. A template for a first graph. */
import { defineGraph } from 'nodewright/define';
import noop from '../tasks/noop.ts';

const graph = defineGraph({
  injectableName: 'Graph.noop-example',
  friendlyName: 'noop-graph',
  tasks: { 'noop-1': noop, 'noop-2': noop, 'parallel-noop-1': noop, 'parallel-noop-2': noop },
});

export default graph.createMachine({
  id: 'Graph.noop-example',
  initial: 'first',
  states: {
    first: { invoke: { src: 'noop-1', onDone: 'second' } },
    second: { invoke: { src: 'noop-2', onDone: 'both' } },
    both: {
      type: 'parallel',
      states: {
        left: {
          initial: 'running',
          states: { running: { invoke: { src: 'parallel-noop-1', onDone: 'done' } }, done: { type: 'final' } },
        },
        right: {
          initial: 'running',
          states: { running: { invoke: { src: 'parallel-noop-2', onDone: 'done' } }, done: { type: 'final' } },
        },
      },
      onDone: 'done',
    },
    done: { type: 'final' },
  },
});
