/**
 * Reboots the node through its agent, two seconds after the agent has taken the command, so that the result arrives. It
 * does not wait for the next boot. `rebootCode` 0 ends the agent's command without a reboot, as RackHD does.
 *
 * Output: `{ results }`, one result.
 */
import { type CommandsOutput, defineTask, runCommands, Type } from 'nodewright/define';

const name = 'Task.Linux.ShellReboot';

const optionsSchema = Type.Object(
  {
    rebootCode: Type.Integer({ minimum: 0, maximum: 255, description: '0: no reboot; 1: reboot.' }),
    timeoutSec: Type.Integer({ minimum: 1, maximum: 3_600, description: 'Timeout of the command in seconds.' }),
  },
  { additionalProperties: false },
);

const REBOOT = '(sleep 2; sync; reboot -f || reboot || echo b >/proc/sysrq-trigger) >/dev/null 2>&1 &';

interface Options {
  rebootCode: number;
  timeoutSec: number;
}

export default defineTask<typeof optionsSchema, CommandsOutput>({
  injectableName: name,
  friendlyName: 'Reboot through the agent',
  // A second reboot would stop what the node does after the first.
  recovery: 'once',
  readOnly: { rebootCode: [0] },
  power: 'cycle',
  optionsSchema,
  options: { rebootCode: 1, timeoutSec: 60 },
  machine: runCommands<Options>(name, ({ rebootCode, timeoutSec }) => [
    { command: rebootCode === 0 ? ':' : REBOOT, timeoutSec },
  ]),
});
