/**
 * Catalog `smart`: health, wear, errors and firmware of each drive, SATA, SAS and NVMe, by device name, as smartctl prints
 * them in JSON.
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.smart',
  friendlyName: 'Catalog the health of drives',
  source: 'smart',
  format: 'json',
  command: `
command -v smartctl >/dev/null || { echo 'smartctl is missing' >&2; exit 1; }
separator='{'
for each in /sys/block/*; do
  # Drives have a device; disks of memory and loops have none.
  [ -e "$each/device" ] || continue
  name=\${each##*/}
  # Bits of the exit code say what is wrong with the drive.
  printed=$(smartctl -j -x "/dev/$name")
  case $printed in '{'*) printf '%s"%s":%s' "$separator" "$name" "$printed"; separator=, ;; esac
done
if [ "$separator" = '{' ]; then echo 'no drive answered' >&2; exit 1; fi
printf '}\\n'`,
});
