/**
 * Catalogs of the BMC by ipmitool: `ipmi-fru` (by device), `ipmi-mc-info`, `ipmi-sel-information`, `ipmi-sel` (the newest
 * 1,000 entries of the event log, by number) and `ipmi-user-list-1` (by number). A catalog that the BMC has no data for is skipped.
 *
 * Output: `{ results }`, one for each catalog.
 */
import { defineCollectorOfMany } from 'nodewright/define';

export default defineCollectorOfMany({
  injectableName: 'Task.Catalog.Ipmi',
  friendlyName: 'Catalog a BMC by IPMI',
  collections: [
    {
      source: 'ipmi-fru',
      format: 'paths',
      // A device that is not there makes ipmitool fail. A dot would start another path segment.
      command: `
ipmitool fru | awk '
  { at = index($0, " : "); if (!at) next
    key = substr($0, 1, at - 1); gsub(/^ +| +$/, "", key); gsub(/[.=]/, "_", key)
    value = substr($0, at + 3); gsub(/^ +| +$/, "", value) }
  key == "FRU Device Description" { device = value; gsub(/[.=]/, "_", device); next }
  device != "" && key != "" { print device "." key "=" value }'`,
    },
    { source: 'ipmi-mc-info', format: 'pairs', command: 'ipmitool mc info' },
    { source: 'ipmi-sel-information', format: 'pairs', command: 'ipmitool sel info' },
    {
      source: 'ipmi-sel',
      format: 'paths',
      // As RackHD: date, time, sensor, event, direction. An empty log is an empty list.
      command: `
log=$(ipmitool -c sel elist) || exit 1
printf '%s\\n' "$log" | tail -n 1000 | awk -F, '
  NF > 3 && $1 ~ /^[0-9a-fA-F]+$/ { for (n = 2; n <= NF && n <= 10; n++) print $1 "." (n - 2) "=" $n; any = 1 }
  END { if (!any) print "=" }'`,
    },
    {
      source: 'ipmi-user-list-1',
      format: 'paths',
      command: `
ipmitool -c user list 1 | awk -F, '
  $2 != "" { print $1 ".Name=" $2; print $1 ".IPMI Msg=" $5; print $1 ".Channel Priv Limit=" $6 }'`,
    },
  ],
});
