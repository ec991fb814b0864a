/**
 * Tasks made of commands for the node's agent, run in order. Each result is saved before the next command is delivered.
 */
import type { TObject } from 'typebox';
import { Type } from 'typebox';
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { CatalogFormat, Command, CommandResult } from './command.ts';
import { command } from './operation.ts';
import { defineTask, type TaskDefinition, type TaskInput } from './task.ts';

export interface CommandsOutput {
  /** In the order of the commands. */
  results: CommandResult[];
}

interface Context extends TaskInput<unknown>, CommandsOutput {
  commands: Command[];
}

/**
 * Returns a task machine that runs commands in order; the first failure ends it.
 * @param commandsOf computes the commands from the task's options; with none, the task ends immediately
 */
export function runCommands<Options>(name: string, commandsOf: (options: Options) => Command[]): AnyStateMachine {
  return setup({
    types: {} as { context: Context; input: TaskInput<unknown>; output: CommandsOutput },
    actors: { command },
    guards: { through: ({ context }) => context.results.length >= context.commands.length },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, commands: commandsOf(input.options as Options), results: [] }),
    initial: 'next',
    states: {
      next: { always: [{ guard: 'through', target: 'done' }, { target: 'running' }] },
      running: {
        invoke: {
          src: 'command',
          input: ({ context }) => context.commands[context.results.length] as Command,
          onDone: {
            target: 'next',
            actions: assign({ results: ({ context, event }) => [...context.results, event.output] }),
          },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => ({ results: context.results }),
  });
}

/** A command of a collector, and the catalog that it makes. */
interface Collection {
  source: string;
  format: CatalogFormat;
  /** For a POSIX shell on a plain Linux. Must be read-only. */
  command: string;
}

interface Collector extends Collection {
  injectableName: `Task.${string}`;
  friendlyName: string;
}

const options = Type.Object(
  {
    timeoutSec: Type.Integer({
      minimum: 1,
      maximum: 3_600,
      description: 'Seconds after which the agent kills the command.',
    }),
  },
  { additionalProperties: false },
);

/** A task that runs a read-only command on its node and stores the output as a catalog. */
export function defineCollector(collector: Collector): TaskDefinition<{ timeoutSec: number }, CommandsOutput> {
  const { injectableName, friendlyName, source, format, command } = collector;
  return defineTask<TObject, CommandsOutput>({
    injectableName,
    friendlyName,
    // Collecting is read-only.
    recovery: 'idempotent',
    optionsSchema: options,
    options: { timeoutSec: 120 },
    machine: runCommands<{ timeoutSec: number }>(injectableName, ({ timeoutSec }) => [
      { command, catalog: { source, format }, timeoutSec },
    ]),
  }) as TaskDefinition<{ timeoutSec: number }, CommandsOutput>;
}

interface CollectorOfMany {
  injectableName: `Task.${string}`;
  friendlyName: string;
  collections: readonly Collection[];
}

interface ManyContext extends Context {
  /** The place of the next command. */
  at: number;
}

/**
 * The same with several commands and catalogs. A command that fails is skipped: a machine lacks some tools and parts. If all
 * fail, the task does.
 */
export function defineCollectorOfMany(
  collector: CollectorOfMany,
): TaskDefinition<{ timeoutSec: number }, CommandsOutput> {
  const { injectableName, friendlyName, collections } = collector;
  const last = collections.length - 1;
  const commandsOf = ({ timeoutSec }: { timeoutSec: number }): Command[] =>
    collections.map(({ command, source, format }) => ({ command, catalog: { source, format }, timeoutSec }));
  return defineTask<TObject, CommandsOutput>({
    injectableName,
    friendlyName,
    recovery: 'idempotent',
    optionsSchema: options,
    options: { timeoutSec: 120 },
    machine: setup({
      types: {} as { context: ManyContext; input: TaskInput<unknown>; output: CommandsOutput },
      actors: { command },
    }).createMachine({
      id: injectableName,
      context: ({ input }) => ({
        ...input,
        commands: commandsOf(input.options as { timeoutSec: number }),
        at: 0,
        results: [],
      }),
      initial: 'running',
      states: {
        running: {
          invoke: {
            src: 'command',
            input: ({ context }) => context.commands[context.at] as Command,
            onDone: [
              {
                guard: ({ context }) => context.at < last,
                target: 'running',
                reenter: true,
                actions: assign({
                  at: ({ context }) => context.at + 1,
                  results: ({ context, event }) => [...context.results, event.output],
                }),
              },
              {
                target: 'done',
                actions: assign({
                  at: ({ context }) => context.at + 1,
                  results: ({ context, event }) => [...context.results, event.output],
                }),
              },
            ],
            onError: [
              {
                guard: ({ context }) => context.at < last,
                target: 'running',
                reenter: true,
                actions: assign({ at: ({ context }) => context.at + 1 }),
              },
              // Its error is that of the task, unless another command made a catalog.
              { guard: ({ context }) => context.results.length > 0, target: 'done' },
            ],
          },
        },
        done: { type: 'final' },
      },
      output: ({ context }) => ({ results: context.results }),
    }),
  }) as TaskDefinition<{ timeoutSec: number }, CommandsOutput>;
}
