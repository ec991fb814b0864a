/** What the firmware says of the node, as dmidecode prints it: catalog `dmi`, by the titles of its blocks. */
import { defineCollector } from '../engine/define/index.ts';

export default defineCollector({
  injectableName: 'Task.Catalog.dmi',
  friendlyName: 'Catalog DMI',
  source: 'dmi',
  format: 'dmi',
  command: 'dmidecode',
});
