/**
 * The start of a discovery: waits until the agent on the node has run its first command. With `from: 'catalogs'` it
 * does not wait and has no results: the catalogs posted so far are used.
 *
 * Output: `{ results }` of the agent's first command.
 */
import { type CommandsOutput, defineTask, runCommands, Type } from 'nodewright/define';

const name = 'Task.Discovery.Collect';

const optionsSchema = Type.Object(
  {
    from: Type.Unsafe<'agent' | 'catalogs'>({
      type: 'string',
      enum: ['agent', 'catalogs'],
      description: 'agent: wait for the agent of the node; catalogs: use the catalogs posted so far.',
    }),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, CommandsOutput>({
  injectableName: name,
  friendlyName: 'Wait for the collecting agent',
  recovery: 'idempotent',
  optionsSchema,
  options: { from: 'agent' },
  machine: runCommands<{ from: string }>(name, ({ from }) =>
    from === 'agent' ? [{ command: 'uname -a', timeoutSec: 60 }] : [],
  ),
});
