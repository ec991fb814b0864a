/** Switches the node on and ends when its BMC reports it on. Output: `{ power }`. */
import { bmcRetry, defineTask, needsObm, powerOptions, probePower, switchPower, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Obm.Node.PowerOn',
  friendlyName: 'Power on',
  // The command is sent once; later attempts query the BMC.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsObm,
  power: 'on',
  optionsSchema: Type.Object(powerOptions, { additionalProperties: false }),
  run: (scope) => switchPower({ ...scope, input: { ...scope.input, to: 'on' } }),
  probe: probePower,
});
