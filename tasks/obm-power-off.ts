/**
 * Switches the node off, and ends when its BMC says that it is. What the operating system had not written is lost, unless
 * `force` is false: then it is asked to shut down, and the task fails when it does not in time.
 */
import { defineTask, needsObm, offOptions, probePower, switchPower, Type } from '../engine/define/index.ts';

export default defineTask({
  injectableName: 'Task.Obm.Node.PowerOff',
  friendlyName: 'Power off',
  // The command goes out once; an attempt after it asks the BMC.
  recovery: 'once',
  retry: { attempts: 3, backoffMs: 2_000 },
  needs: needsObm,
  optionsSchema: Type.Object(offOptions, { additionalProperties: false }),
  options: { force: true },
  run: (scope) => switchPower({ ...scope, input: { ...scope.input, to: 'off' } }),
  probe: probePower,
});
