/** The machine of a task that looks at its node by a command, which only reads, and concludes from what it prints. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type Command, command, type TaskInput } from '../../define/index.ts';
import type { Activity } from '../../define/operation.ts';

interface Context extends TaskInput<unknown> {
  stdout: string;
  output: unknown;
}

/** @param conclude must not touch the machine */
export const lookedMachine = <Options, Output>(
  name: string,
  look: (options: Options) => Command,
  conclude: Activity<{ options: Options; stdout: string }, Output>,
): AnyStateMachine =>
  setup({
    types: {} as { context: Context; input: TaskInput<unknown>; output: unknown },
    actors: { look: command, conclude: conclude as Activity<{ options: unknown; stdout: string }, unknown> },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, stdout: '', output: null }),
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          src: 'look',
          input: ({ context }) => look(context.options as Options),
          onDone: { target: 'concluding', actions: assign({ stdout: ({ event }) => event.output?.stdout ?? '' }) },
        },
      },
      concluding: {
        invoke: {
          src: 'conclude',
          input: ({ context: { options, stdout } }) => ({ options, stdout }),
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }: { context: Context }) => context.output,
  });
