/** Waits for a time. The wait is a timer of the engine: it occupies no worker and survives a restart. No output. */
import { defineTask, type TaskInput, Type } from 'nodewright/define';
import { setup } from 'xstate';

const optionsSchema = Type.Object(
  { duration: Type.Integer({ minimum: 0, maximum: 31_536_000_000, description: 'Duration in ms.' }) },
  { additionalProperties: false },
);

interface Options {
  duration: number;
}

export default defineTask({
  injectableName: 'Task.Sleep',
  friendlyName: 'Sleep',
  recovery: 'idempotent',
  optionsSchema,
  machine: setup({
    types: {} as { context: TaskInput<Options>; input: TaskInput<Options> },
    delays: { duration: ({ context }) => context.options.duration },
  }).createMachine({
    id: 'Task.Sleep',
    context: ({ input }) => input,
    initial: 'sleeping',
    states: {
      sleeping: { after: { duration: 'done' } },
      done: { type: 'final' },
    },
  }),
});
