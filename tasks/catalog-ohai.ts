/**
 * Catalog `ohai`: the basics of the node in ohai's format, with `kernel`, `platform`, `hostname`, `cpu`, `memory`,
 * `dmi.system`, `dmi.bios`, `dmi.base_board` and `network.interfaces`. Read only from files of a plain Linux.
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.ohai',
  friendlyName: 'Catalog basics',
  source: 'ohai',
  format: 'paths',
  command: `
number() { if [ -n "$2" ]; then printf '%s:=%d\\n' "$1" "$2"; fi; }
say() { if [ -n "$2" ]; then printf '%s=%s\\n' "$1" "$(printf %s "$2" | tr '\\n' ' ')"; fi; }
read_from() { if [ -r "$2" ]; then say "$1" "$(cat "$2" 2>/dev/null)"; fi; }
say hostname "$(uname -n)"
say kernel.name "$(uname -s)"
say kernel.release "$(uname -r)"
say kernel.version "$(uname -v)"
say kernel.machine "$(uname -m)"
if [ -r /etc/os-release ]; then
  say platform "$(. /etc/os-release; echo "\${ID:-}")"
  say platform_version "$(. /etc/os-release; echo "\${VERSION_ID:-}")"
fi
number cpu.total "$(grep -c '^processor' /proc/cpuinfo)"
real=$(sed -n 's/^physical id[^:]*: *//p' /proc/cpuinfo | sort -u | wc -l | tr -d ' ')
number cpu.real "$real"
say cpu.model_name "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
say cpu.vendor_id "$(sed -n 's/^vendor_id[^:]*: *//p' /proc/cpuinfo | head -n 1)"
say memory.total "$(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1kB/p' /proc/meminfo)"
dmi=/sys/class/dmi/id
read_from dmi.system.manufacturer $dmi/sys_vendor
read_from dmi.system.product_name $dmi/product_name
read_from dmi.system.version $dmi/product_version
read_from dmi.system.serial_number $dmi/product_serial
read_from dmi.system.uuid $dmi/product_uuid
read_from dmi.bios.vendor $dmi/bios_vendor
read_from dmi.bios.version $dmi/bios_version
read_from dmi.bios.release_date $dmi/bios_date
read_from dmi.base_board.manufacturer $dmi/board_vendor
read_from dmi.base_board.product_name $dmi/board_name
read_from dmi.base_board.serial_number $dmi/board_serial
for each in /sys/class/net/*; do
  name=\${each##*/}
  # A dot would start another path segment.
  key=$(printf %s "$name" | tr . _)
  read_from "network.interfaces.$key.mac" "$each/address"
  read_from "network.interfaces.$key.mtu" "$each/mtu"
  read_from "network.interfaces.$key.state" "$each/operstate"
done`,
});
