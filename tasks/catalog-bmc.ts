/**
 * Catalog `bmc`: the BMC's LAN settings, as ipmitool prints them. The first LAN channel that answers is used.
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.bmc',
  friendlyName: 'Catalog BMC',
  source: 'bmc',
  format: 'pairs',
  command: `
for channel in 1 2 3 4 5 6 7 8; do
  if found=$(ipmitool lan print "$channel") && [ -n "$found" ]; then
    printf '%s\\n' "$found"
    exit 0
  fi
done
echo 'no LAN channel of a BMC answered' >&2
exit 1`,
});
