/**
 * Catalog `dmi`: the node's firmware tables, as dmidecode prints them, by the titles of their blocks.
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.dmi',
  friendlyName: 'Catalog DMI',
  source: 'dmi',
  format: 'dmi',
  command: 'dmidecode',
});
