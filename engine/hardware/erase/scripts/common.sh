# shellcheck shell=sh disable=SC2034
# Paths, and questions about drives, for the scripts that look, begin and watch.

or() { if [ -n "$1" ]; then echo "$1"; else echo "$2"; fi; }
jobs=$(or "$NODEWRIGHT_JOBS" /run/nodewright/jobs)
devices=$(or "$NODEWRIGHT_DEVICES" /dev)
boot_id=$(or "$NODEWRIGHT_BOOT_ID" /proc/sys/kernel/random/boot_id)
cancelled=$NODEWRIGHT_CANCELLED
progress=$(or "$NODEWRIGHT_PROGRESS" /dev/null)
poll=$(or "$NODEWRIGHT_POLL" 2)
sys=$(or "$NODEWRIGHT_SYS" /sys)
# From here on an unset variable is an error.
set -uf
boot() { cat "$boot_id"; }
say() { printf '%s %s\n' "$1" "$2"; }
disks() { lsblk --nodeps --noheadings --raw --output NAME,TYPE 2>/dev/null | sed -n '/^z*ram/d; s/ disk$//p'; }
printed() { head -n 1 | LC_ALL=C tr -cd '\40-\176' | sed 's/^ *//; s/ *$//'; }
field() {
  said=$(lsblk --nodeps --noheadings --output "$1" "$devices/$2" 2>/dev/null | printed)
  # Without udev, as in many microkernels, lsblk lacks some fields; the kernel has them.
  if [ -z "$said" ]; then
    at=$sys/block/$2
    case $1 in
      WWN) said=$( (cat "$at/wwid" || cat "$at/device/wwid") 2>/dev/null | printed) ;;
      SERIAL) said=$(tail -c +5 "$at/device/vpd_pg80" 2>/dev/null | printed) ;;
      REV) said=$( (printed <"$at/device/firmware_rev") 2>/dev/null) ;;
    esac
  fi
  printf '%s\n' "$said"
}
size() { blockdev --getsize64 "$devices/$1" 2>/dev/null || wc -c <"$devices/$1"; }
mounts() { lsblk --noheadings --output MOUNTPOINT "$devices/$1" 2>/dev/null | tr -s ' \n|' ' ' | sed 's/^ //; s/ $//' | cut -c1-60; }
identity() { printf '%s %s %s' "$(field WWN "$1")" "$(field SERIAL "$1")" "$(size "$1")" | sha256sum | cut -c1-32; }
