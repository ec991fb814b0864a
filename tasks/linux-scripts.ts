/**
 * Runs commands of RackHD's shape through the agent on the node, one after the other. With `downloadUrl` the node fetches
 * that file first, and runs it if there is no command. The first failure ends the task.
 *
 * Output: `{ results: [{ exitCode, stdout, stderr, catalog? }] }`.
 */
import { defineScripts } from 'nodewright/define';

export default defineScripts({
  injectableName: 'Task.Linux.Scripts',
  friendlyName: 'Run scripts on the node',
  // The effect of a command on the node is unknown, so it must not be repeated.
  recovery: 'once',
  catalogs: false,
});
