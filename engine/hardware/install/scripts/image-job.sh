# shellcheck shell=sh disable=SC2154
# Writes an image to a disk: checks the whole image, writes it, reads it back, adapts the partitions, adds the data of the
# first boot. Before it: `jobs/scripts/fetch.sh`.

set -u
# Sets name, wwid, url, sum, format, grow and own.
# shellcheck source=/dev/null
. "$place/wanted"
devices=${NODEWRIGHT_DEVICES:-/dev}
sys=${NODEWRIGHT_SYS:-/sys}/block/$name
device=$devices/$name
lock=${NODEWRIGHT_JOBS:-/run/nodewright/jobs}/disk-$name

stage() { echo "$1 5 $2" >"$place/stage"; }
# finish KEY VALUE...
finish() {
  while [ $# -gt 1 ]; do
    printf '%s %s\n' "$1" "$2"
    shift 2
  done >"$place/exit.new"
  rm -rf "$lock"
  mv "$place/exit.new" "$place/exit"
  exit 0
}
reject() { finish code "$1" message "$2; the disk is unchanged"; }
# A disk with a part of an image must not boot.
ruin() {
  dd if=/dev/zero of="$device" bs=1M count=1 conv=notrunc,fsync 2>/dev/null
  dd if=/dev/zero of="$device" bs=512 seek=$((size / 512 - 2048)) count=2048 conv=notrunc,fsync 2>/dev/null
  finish code "$1" message "$2; the disk has a part of the image, without partition tables, and does not boot"
}

identity() {
  case $wwid in
    /dev/*) if [ "$(readlink -f "$wwid")" = "$device" ]; then echo "$wwid"; fi ;;
    *)
      now=$(lsblk --nodeps --noheadings --raw --output WWN "$device" 2>/dev/null)
      if [ -z "$now" ]; then now=$( (cat "$sys/wwid" || cat "$sys/device/wwid") 2>/dev/null | head -n 1 | sed 's/ *$//' | tr ' ' _); fi
      case $now in 0x*) now=naa.${now#0x} ;; esac
      echo "$now"
      ;;
  esac
}
size=$(blockdev --getsize64 "$device" 2>/dev/null) || reject INSTALL_REJECTED "the node has no $name"
[ "$(identity)" = "$wwid" ] || reject INSTALL_REJECTED "$name is no longer the drive of the catalog"
if grep -q "^${device}[0-9p ]" /proc/mounts; then reject INSTALL_REJECTED "$name is mounted"; fi
for program in curl sha256sum sfdisk mkfs.vfat; do
  command -v "$program" >/dev/null || reject INSTALL_REJECTED "the booted system lacks $program"
done
# Left by a job that was stopped: only a living process keeps the disk.
if ! mkdir "$lock" 2>/dev/null; then
  holder=$(cat "$lock/pid" 2>/dev/null) || holder=
  # The number of a job that was killed may be that of any process by now.
  if [ -n "$holder" ] && tr '\0' ' ' <"/proc/$holder/cmdline" 2>/dev/null | grep -q -F "${lock%/*}/"; then reject INSTALL_REJECTED "another job writes $name"; fi
fi
echo $$ >"$lock/pid"

unpack() {
  case $format in
    gz) gzip -dc ;;
    xz) xz -dc ;;
    zst) zstd -dcq ;;
    *) cat ;;
  esac
}
# Writes the image to standard output; the states of both programs and the checksum of the image as it was sent are in files.
image() {
  rm -f "$place/pipe"
  mkfifo "$place/pipe"
  sha256sum <"$place/pipe" >"$place/sum" &
  {
    fetch
    echo $? >"$place/fetched"
  } | tee "$place/pipe" | {
    unpack
    echo $? >"$place/unpacked"
  }
  wait
}
sound() { [ "$(cut -c1-64 "$place/sum")" = "$sum" ] && [ "$(cat "$place/unpacked")" = 0 ]; }

stage 1 'checking the image'
length=$(image 2>"$place/trouble" | wc -c)
if [ "$(cat "$place/fetched")" != 0 ]; then reject IMAGE_UNAVAILABLE "the image cannot be fetched (curl ended with $(cat "$place/fetched"))"; fi
found=$(cut -c1-64 "$place/sum")
if [ "$found" != "$sum" ]; then reject IMAGE_MISMATCH "the image has the checksum $found, expected $sum"; fi
if ! sound || [ "$length" -eq 0 ]; then reject IMAGE_MISMATCH "the image is empty, or is no complete $format"; fi
if [ "$length" -gt "$size" ]; then reject IMAGE_TOO_LARGE "the image has $length bytes, and $name has $size"; fi

stage 2 'writing'
date -u +%Y-%m-%dT%H:%M:%SZ >"$place/writing"
mkfifo "$place/second"
sha256sum <"$place/second" >"$place/content" &
image 2>"$place/trouble" | tee "$place/second" | dd of="$device" bs=1M conv=notrunc,fsync 2>"$place/dd" || ruin IMAGE_WRITE_FAILED "$name reports an error"
wait
sound || ruin IMAGE_MISMATCH 'the image changed while it was written'

stage 3 'reading back'
sync
blockdev --flushbufs "$device"
expected=$(cut -c1-64 "$place/content") found=$(head -c "$length" "$device" | sha256sum | cut -c1-64)
[ "$found" = "$expected" ] || ruin IMAGE_WRITE_FAILED "$name returns other data than were written"

stage 4 'adapting the partitions'
start_of() { cat "$sys/$1/start" 2>/dev/null; }
part_at() { for each in "$sys/$name"*; do if [ "$(start_of "${each##*/}")" = "$1" ]; then echo "${each##*/}"; fi; done; }
last_part() {
  for each in "$sys/$name"*; do
    if [ -e "$each/start" ]; then echo "$(start_of "${each##*/}") ${each##*/}"; fi
  done | sort -n | tail -n 1 | sed 's/.* //'
}
reread() { blockdev --rereadpt "$device" 2>/dev/null || partx -u "$device" 2>/dev/null; }
kind=$(sfdisk --dump "$device" 2>/dev/null | sed -n 's/^label: //p')
case $kind in
  gpt)
    sfdisk --relocate gpt-bak-std "$device" >>"$place/log" 2>&1 || ruin INSTALL_FAILED 'its partition table cannot be extended'
    type='type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7, name=cidata'
    ;;
  dos) type='type=c' ;;
  *) ruin IMAGE_MISMATCH 'the image has no partition table' ;;
esac
reread
root=$(last_part)
start=$(((size / 512 - 8192 - 34) / 2048 * 2048))
echo "start=$start, size=8192, $type" | sfdisk --append --no-reread --force "$device" >>"$place/log" 2>&1 ||
  ruin INSTALL_FAILED 'it has no room for the data of the first boot: 5 MiB at its end, and a free entry'
reread
grown=no
file_system=$(blkid "$devices/$root" 2>/dev/null | sed -n 's/.* TYPE="\([^"]*\)".*/\1/p')
case $grow-$file_system in
  yes-ext* | yes-xfs | yes-btrfs)
    if echo ', +' | sfdisk -N "${root##*[!0-9]}" --no-reread --force "$device" >>"$place/log" 2>&1; then grown=$root; fi
    reread
    case $file_system in
      ext*)
        e2fsck -fp "$devices/$root" >>"$place/log" 2>&1
        resize2fs "$devices/$root" >>"$place/log" 2>&1
        ;;
    esac
    ;;
esac

stage 5 'adding the data of the first boot'
# The kernel cannot load them itself: the system has no /sbin/modprobe.
for module in nls_cp437 nls_ascii vfat; do modprobe -q "$module" 2>/dev/null; done
seed=$(part_at "$start")
mkdir -p "$place/mnt"
{
  mkfs.vfat -n CIDATA "$devices/$seed" && mount -t vfat "$devices/$seed" "$place/mnt" &&
    cp "$place/seed"/* "$place/mnt/" && umount "$place/mnt"
} >>"$place/log" 2>&1 || ruin INSTALL_FAILED 'the data of the first boot cannot be added'
rm -rf "$place/seed"
sync
blockdev --flushbufs "$device"
finish code OK length "$length" content "$expected" label "$kind" grown "$grown" seed "$seed"
