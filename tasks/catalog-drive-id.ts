/**
 * Catalog `driveId`: the node's drives with their stable names, a list of `devName`, `identifier` (counts from 0),
 * `scsiId`, `linuxWwid`, `esxiWwid`, `virtualDisk` (always empty: a RAID controller's own names are not queried),
 * `protocol` (`ata`, `scsi`, `nvme`, or empty), and `model`, `serial` and `sizeBytes` (without what the node does not know).
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.Drive.Id',
  friendlyName: 'Catalog drives',
  source: 'driveId',
  format: 'paths',
  command: `
set -f
printed() { head -n 1 | LC_ALL=C tr -cd '\\40-\\176' | sed 's/^ *//; s/ *$//'; }
field() { lsblk --nodeps --noheadings --bytes --output "$1" "/dev/$name" 2>/dev/null | printed; }
sys=\${NODEWRIGHT_SYS:-/sys}
n=0
for name in $(lsblk --nodeps --noheadings --raw --output NAME,TYPE | sed -n '/^z*ram/d; s/ disk$//p'); do
  link=
  # Names that identify the drive first; names that only number its location last.
  for kind in wwn- scsi- nvme-eui. ata- nvme- ''; do
    set +f
    for each in /dev/disk/by-id/"$kind"*; do
      if [ -z "$link" ] && [ "$(readlink -f "$each")" = "/dev/$name" ]; then link=$each; fi
    done
    set -f
  done
  wwn=$(lsblk --nodeps --noheadings --raw --output WWN "/dev/$name")
  # Without udev, as in many microkernels, lsblk lacks it; the kernel has it.
  if [ -z "$wwn" ]; then
    at=$sys/block/$name
    wwn=$( (cat "$at/wwid" || cat "$at/device/wwid") 2>/dev/null | head -n 1 | sed 's/ *$//' | tr ' ' _)
  fi
  case $wwn in 0x*) wwn=naa.\${wwn#0x} ;; esac
  # A SATA drive behind a SAS controller reports sas; its vendor identifies it.
  case "$name:$(lsblk --nodeps --noheadings --raw --output VENDOR,TRAN "/dev/$name")" in
    nvme*) protocol=nvme ;;
    *:ATA* | *sata | *ata) protocol=ata ;;
    *sas | *fc | *iscsi | *spi) protocol=scsi ;;
    *) protocol= ;;
  esac
  serial=$(field SERIAL)
  if [ -z "$serial" ]; then
    serial=$( (tail -c +5 "$sys/block/$name/device/vpd_pg80" || cat "$sys/block/$name/device/serial") 2>/dev/null | printed)
  fi
  size=$(field SIZE)
  echo "$n.devName=$name"
  echo "$n.identifier:=$n"
  echo "$n.scsiId=$(lsblk --nodeps --noheadings --raw --output HCTL "/dev/$name")"
  echo "$n.linuxWwid=$link"
  echo "$n.esxiWwid=$wwn"
  echo "$n.virtualDisk="
  echo "$n.protocol=$protocol"
  echo "$n.model=$(field MODEL)"
  echo "$n.serial=$serial"
  if [ -n "$size" ]; then echo "$n.sizeBytes:=$size"; fi
  n=$((n + 1))
done
if [ "$n" -eq 0 ]; then echo '='; fi`,
});
