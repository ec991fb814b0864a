/**
 * Catalogs of the node's network: `lldp`, by interface the switch and the port that it is connected to, in RackHD's form; and
 * `ethtool`, by interface the driver, the firmware and the MAC.
 *
 * Of several neighbors on one interface the first one counts. lldpd must run; a switch announces itself every 30 seconds.
 *
 * Output: `{ results }`, one for each catalog.
 */
import { defineCollectorOfMany } from 'nodewright/define';

export default defineCollectorOfMany({
  injectableName: 'Task.Catalog.Network',
  friendlyName: 'Catalog the network',
  collections: [
    {
      source: 'lldp',
      format: 'paths',
      // The first value of a path counts: what follows may be of another neighbor. A path with values below it has its own as `value`.
      command: `
for wait in 5 5 5 5 5 5 5 0; do
  neighbors=$(lldpcli show neighbors -f keyvalue) || exit 1
  case $neighbors in lldp.*) break ;; esac
  sleep "$wait"
done
printf '%s\\n' "$neighbors" | head -n 4000 | awk '
  { at = index($0, "="); if (!at || $0 !~ /^lldp\\./) next
    path = substr($0, 6, at - 6); value = substr($0, at + 1)
    if (path !~ /^[A-Za-z0-9@_-]+(\\.[A-Za-z0-9_-]+)+$/) next
    name = path; sub(/\\..*/, "", name)
    if (path == name ".via") passed[name] = seen[name]++
    if (passed[name] || path in printed) next
    printed[path]
    parent = path
    while (sub(/\\.[^.]*$/, "", parent)) inner[parent]
    print path (path in inner ? ".value" : "") "=" value }'`,
    },
    {
      source: 'ethtool',
      format: 'paths',
      command: `
command -v ethtool >/dev/null || { echo 'ethtool is missing' >&2; exit 1; }
for each in "\${NODEWRIGHT_SYS:-/sys}"/class/net/*; do
  # Cards have a device; bridges and tunnels have none.
  [ -e "$each/device" ] || continue
  name=\${each##*/}
  # A dot would start another path segment.
  key=$(printf %s "$name" | tr . _)
  ethtool -i "$name" | head -n 50 | awk -v name="$key" '
    { at = index($0, ": "); if (!at || $0 !~ /^(driver|version|firmware-version|bus-info): /) next
      print name "." substr($0, 1, at - 1) "=" substr($0, at + 2) }'
  printf '%s.mac=%s\\n' "$key" "$(cat "$each/address" 2>/dev/null)"
done`,
    },
  ],
});
