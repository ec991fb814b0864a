/**
 * The start of a discovery: waits until the agent on the node has done its first command, or for nothing, when the
 * catalogs that were posted so far are to do (`from: 'catalogs'`); then it has no results.
 */
import { type CommandsOutput, defineTask, runCommands, Type } from '../engine/define/index.ts';

const name = 'Task.Discovery.Collect';

const optionsSchema = Type.Object(
  {
    from: Type.Unsafe<'agent' | 'catalogs'>({
      ...{ type: 'string', enum: ['agent', 'catalogs'] },
      description: 'Whether an agent is waited for, or the catalogs that are there will do.',
    }),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, CommandsOutput>({
  injectableName: name,
  friendlyName: 'Wait for what collects',
  recovery: 'idempotent',
  optionsSchema,
  options: { from: 'agent' },
  machine: runCommands<{ from: string }>(name, ({ from }) =>
    from === 'agent' ? [{ command: 'uname -a', timeoutSec: 60 }] : [],
  ),
});
