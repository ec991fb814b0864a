/**
 * Catalogs of the node's cards: `lspci`, a list of all PCI devices with the fields of lspci, in RackHD's form; and `gpu`, with
 * `devices`, those of them that are display or 3D controllers, and `nvidia`, what NVIDIA's driver says of its own.
 *
 * Output: `{ results }`, one for each catalog.
 */
import { defineCollectorOfMany } from 'nodewright/define';

/** Prints the blocks of lspci as lines `path=value`. */
const blocks = (before: string, isWanted: string) => `
  function flush(  field) {
    if (count && (${isWanted})) { for (field in fields) print "${before}" n "." field "=" fields[field]; n++ }
    split("", fields); count = 0 }
  /^[A-Za-z]+:\\t/ { at = index($0, ":\\t"); fields[substr($0, 1, at - 1)] = substr($0, at + 2); count++; next }
  $0 == "" { flush() }
  BEGIN { n = 0 }
  END { flush()`;

export default defineCollectorOfMany({
  injectableName: 'Task.Catalog.Pci',
  friendlyName: 'Catalog PCI devices',
  collections: [
    {
      source: 'lspci',
      format: 'paths',
      command: `lspci -nn -vmm | head -n 20000 | awk '${blocks('', '1')} }'`,
    },
    {
      source: 'gpu',
      format: 'paths',
      command: `
devices=$(lspci -nn -vmm) || exit 1
printf '%s\\n' "$devices" | head -n 20000 | awk '${blocks('devices.', 'fields["Class"] ~ /\\[030[02]\\]$/')}; if (!n) print "devices:=[]" }'
command -v nvidia-smi >/dev/null || exit 0
nvidia-smi --query-gpu=pci.bus_id,name,serial,uuid,vbios_version,driver_version,memory.total --format=csv,noheader,nounits |
  head -n 64 | awk -F ', ' '
  BEGIN { split("busId name serial uuid vbiosVersion driverVersion memoryMib", names, " "); n = 0 }
  NF == 7 { for (field = 1; field <= 7; field++) print "nvidia." n "." names[field] "=" $field; n++ }'`,
    },
  ],
});
