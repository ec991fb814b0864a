/**
 * Runs commands through the agent on the node, one after the other, each in its own shell. The output of a command may
 * become a catalog. The first failure ends the task.
 *
 * Output: `{ results: [{ exitCode, stdout, stderr, catalog? }] }`.
 */
import { type Command, type CommandsOutput, catalogFormats, defineTask, runCommands, Type } from 'nodewright/define';

const name = 'Task.Linux.Commands';

const catalog = Type.Object(
  {
    source: Type.String({ minLength: 1, maxLength: 256 }),
    format: Type.Unsafe<(typeof catalogFormats)[number]>({ type: 'string', enum: [...catalogFormats] }),
  },
  { additionalProperties: false },
);

const text = Type.String({ minLength: 1, maxLength: 65_536 });
const item = Type.Union([
  text,
  Type.Object(
    {
      command: text,
      catalog: Type.Optional(catalog),
      acceptedResponseCodes: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 1, maxItems: 256 }),
      ),
      timeoutSec: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800 })),
    },
    { additionalProperties: false },
  ),
]);

const optionsSchema = Type.Object(
  {
    commands: Type.Union([item, Type.Array(item, { minItems: 1, maxItems: 100 })], {
      description: 'Shell commands: texts, or { command, catalog?, acceptedResponseCodes?, timeoutSec? }.',
    }),
    timeoutSec: Type.Integer({
      minimum: 1,
      maximum: 604_800,
      default: 3_600,
      description: 'Default timeout of a command in seconds, after which the agent ends it.',
    }),
  },
  { additionalProperties: false },
);

type Item = string | (Omit<Command, 'timeoutSec'> & { timeoutSec?: number });

interface Options {
  commands: Item | Item[];
  timeoutSec?: number;
}

function commandsOf({ commands, timeoutSec = 3_600 }: Options): Command[] {
  const all = Array.isArray(commands) ? commands : [commands];
  return all.map((one) => ({ timeoutSec, ...(typeof one === 'string' ? { command: one } : one) }));
}

export default defineTask<typeof optionsSchema, CommandsOutput>({
  injectableName: name,
  friendlyName: 'Run commands on the node',
  // The effect of a command on the node is unknown, so it must not be repeated.
  recovery: 'once',
  optionsSchema,
  options: { timeoutSec: 3_600 },
  machine: runCommands<Options>(name, commandsOf),
});
