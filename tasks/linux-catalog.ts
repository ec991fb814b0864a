/**
 * Runs read-only commands of RackHD's shape through the agent. The output becomes a catalog: the given one, or that of a
 * well-known command such as dmidecode; other output is part of the results only.
 *
 * Output: `{ results: [{ exitCode, stdout, stderr, catalog? }] }`.
 */
import { defineScripts } from 'nodewright/define';

export default defineScripts({
  injectableName: 'Task.Linux.Catalog',
  friendlyName: 'Catalog by commands',
  // Collecting is read-only.
  recovery: 'idempotent',
  catalogs: true,
});
