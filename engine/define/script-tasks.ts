/** Tasks that run commands of RackHD's shape through the agent. */
import { Type } from 'typebox';
import type { Recovery } from '../vocabulary/states.ts';
import { type Command, catalogFormats } from './command.ts';
import { type CommandsOutput, runCommands } from './commands.ts';
import { commandOfScript, type ScriptItem } from './script-items.ts';
import { defineTask, type TaskDefinition } from './task.ts';

const text = Type.String({ minLength: 1, maxLength: 65_536 });
const orNullSchema = <T extends object>(schema: T) => Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] });

const item = Type.Union([
  text,
  Type.Object({
    command: Type.Optional(orNullSchema(text)),
    downloadUrl: Type.Optional(orNullSchema(Type.String({ pattern: '^https?://', maxLength: 4_096 }))),
    catalog: Type.Optional(
      orNullSchema(
        Type.Object({
          source: Type.String({ minLength: 1, maxLength: 256 }),
          format: Type.Unsafe<(typeof catalogFormats)[number]>({ type: 'string', enum: [...catalogFormats] }),
        }),
      ),
    ),
    acceptedResponseCodes: Type.Optional(
      orNullSchema(Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { maxItems: 256 })),
    ),
    timeoutSec: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800 })),
  }),
]);

const optionsSchema = Type.Object(
  {
    commands: Type.Union([item, Type.Array(item, { minItems: 1, maxItems: 100 })], {
      description:
        'Shell commands: texts, or { command?, downloadUrl?, catalog?, acceptedResponseCodes?, timeoutSec? }.',
    }),
    timeoutSec: Type.Integer({
      minimum: 1,
      maximum: 604_800,
      default: 3_600,
      description: 'Default timeout of a command in seconds, after which the agent ends it.',
    }),
    runOnlyOnce: Type.Optional(Type.Boolean({ description: 'Has no effect: `recovery` says so.' })),
  },
  { additionalProperties: false },
);

interface Options {
  commands: string | ScriptItem | (string | ScriptItem)[];
  timeoutSec?: number;
}

interface ScriptTask {
  injectableName: `Task.${string}`;
  friendlyName: string;
  recovery: Recovery;
  /** The output of well-known commands becomes a catalog. */
  catalogs: boolean;
}

export function defineScripts({ catalogs, ...meta }: ScriptTask): TaskDefinition<unknown, CommandsOutput> {
  const commandsOf = ({ commands, timeoutSec = 3_600 }: Options): Command[] =>
    (Array.isArray(commands) ? commands : [commands]).map((one) => commandOfScript(one, timeoutSec, catalogs));
  return defineTask<typeof optionsSchema, CommandsOutput>({
    ...meta,
    optionsSchema,
    options: { timeoutSec: 3_600 },
    machine: runCommands<Options>(meta.injectableName, commandsOf),
  }) as TaskDefinition<unknown, CommandsOutput>;
}
