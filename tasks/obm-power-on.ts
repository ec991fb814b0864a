/** Switches the node on, and ends when its BMC says that it is. */
import { defineTask, powerOptions, probePower, switchPower, Type } from '../engine/define/index.ts';

export default defineTask({
  injectableName: 'Task.Obm.Node.PowerOn',
  friendlyName: 'Power on',
  // What became of it is asked of the BMC before it is sent again.
  recovery: 'once',
  retry: { attempts: 3, backoffMs: 2_000 },
  optionsSchema: Type.Object(powerOptions, { additionalProperties: false }),
  options: { timeoutMs: 60_000 },
  run: (scope) => switchPower({ ...scope, input: { ...scope.input, to: 'on' } }),
  probe: (scope) => probePower({ ...scope, input: { ...scope.input, to: 'on' } }),
});
