/**
 * Switches the node off and ends when its BMC reports it off. Unwritten data of the operating system is lost, unless
 * `force` is false: then the system is asked to shut down, and the task fails when that takes too long.
 *
 * Output: `{ power }`.
 */
import { bmcRetry, defineTask, needsObm, offOptions, probePower, switchPower, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Obm.Node.PowerOff',
  friendlyName: 'Power off',
  // The command is sent once; later attempts query the BMC.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsObm,
  power: 'off',
  optionsSchema: Type.Object(offOptions, { additionalProperties: false }),
  options: { force: true },
  run: (scope) => switchPower({ ...scope, input: { ...scope.input, to: 'off' } }),
  probe: probePower,
});
