/**
 * Restarts the BMC of the node, not the node, and ends when the BMC answers again. A BMC that hangs and does not take the command
 * needs its power removed.
 *
 * Output: `{ service }`.
 */
import { bmcResetOptions, bmcRetry, defineTask, needsObm, probePower, resetBmc, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Bmc.Reset',
  friendlyName: 'Restart the BMC',
  // The command is sent once; later attempts ask whether the BMC answers.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsObm,
  optionsSchema: Type.Object(bmcResetOptions, { additionalProperties: false }),
  run: resetBmc,
  probe: probePower,
});
