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
  /** Commands that failed; absent: none. */
  skipped?: number;
}

const placeOf = ({ results, skipped = 0 }: Context): number => results.length + skipped;

/**
 * Returns a task machine that runs commands in order; the first failure ends it.
 * @param commandsOf computes the commands from the task's options; with none, the task ends immediately
 * @param skips a command that fails is left out, unless it is the last one and all others failed too
 */
export function runCommands<Options>(
  name: string,
  commandsOf: (options: Options) => Command[],
  skips = false,
): AnyStateMachine {
  return setup({
    types: {} as { context: Context; input: TaskInput<unknown>; output: CommandsOutput },
    actors: { command },
    guards: {
      through: ({ context }) => placeOf(context) >= context.commands.length,
      skips: ({ context }) => skips && (placeOf(context) < context.commands.length - 1 || context.results.length > 0),
    },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, commands: commandsOf(input.options as Options), results: [] }),
    initial: 'next',
    states: {
      next: { always: [{ guard: 'through', target: 'done' }, { target: 'running' }] },
      running: {
        invoke: {
          src: 'command',
          input: ({ context }) => context.commands[placeOf(context)] as Command,
          onDone: {
            target: 'next',
            actions: assign({ results: ({ context, event }) => [...context.results, event.output] }),
          },
          ...(skips && {
            onError: {
              guard: 'skips' as const,
              target: 'next' as const,
              actions: assign({ skipped: ({ context: { skipped = 0 } }: { context: Context }) => skipped + 1 }),
            },
          }),
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
export const defineCollector = ({ injectableName, friendlyName, ...collection }: Collector) =>
  defineCollectorOfMany({ injectableName, friendlyName, collections: [collection] });

interface CollectorOfMany {
  injectableName: `Task.${string}`;
  friendlyName: string;
  collections: readonly Collection[];
}

/**
 * The same with several commands and catalogs. A command that fails is skipped: a machine lacks some tools and parts. If all
 * fail, the task does.
 */
export function defineCollectorOfMany({
  injectableName,
  friendlyName,
  collections,
}: CollectorOfMany): TaskDefinition<{ timeoutSec: number }, CommandsOutput> {
  const commandsOf = ({ timeoutSec }: { timeoutSec: number }): Command[] =>
    collections.map(({ command, source, format }) => ({ command, catalog: { source, format }, timeoutSec }));
  return defineTask<TObject, CommandsOutput>({
    injectableName,
    friendlyName,
    // Collecting is read-only.
    recovery: 'idempotent',
    optionsSchema: options,
    options: { timeoutSec: 120 },
    machine: runCommands(injectableName, commandsOf, collections.length > 1),
  }) as TaskDefinition<{ timeoutSec: number }, CommandsOutput>;
}
