# shellcheck shell=sh disable=SC2154
# Makes one change of RAID volumes. Before it: `jobs/scripts/tool-job.sh`.

# Patterns of files are expanded from here on.
set +f
cd "$place" || exit 1
# Sets boot_before, program, kind, target, drives, serials; of a new volume also name, level, size, group.
# shellcheck source=/dev/null
. "$place/wanted"

words() { or "$(sed -n 's/^ *Description = //p' "$place/said" | tail -n 1)" "$(last_line)"; }
# Each drive of an array is still the one that the plan saw.
check_drives() {
  for drive in $drives; do
    serial=$(field SERIAL "$drive" | cut -c1-64)
    case "$serials" in *"[$drive=$serial]"*) ;; *) finish changed ;; esac
  done
}
# What was there before would appear beside the array.
wipe() {
  last=$(($(size "$1") / 1048576 - 1))
  tool dd if=/dev/zero of="$devices/$1" bs=1048576 count=1 conv=notrunc
  tool dd if=/dev/zero of="$devices/$1" bs=1048576 count=1 seek="$last" conv=notrunc
}

# Names and slots of drives may be others after a restart.
if [ "$(boot)" != "$boot_before" ]; then finish lost; fi
# Nothing creates the files in /dev but mdadm.
export MDADM_NO_UDEV=1
case $kind in
  delete) tool "$program" "$target" del force ;;
  create)
    set -- type="$level" name="$name" drives="$drives"
    if [ -n "$group" ]; then set -- "$@" PDperArray="$group"; fi
    if [ -n "$size" ]; then set -- "$@" size="$size"; fi
    tool "$program" "$target" add vd "$@"
    ;;
  delete-array)
    check_drives
    for drive in $drives; do
      for array in "$sys"/block/md*; do
        if [ -e "$array/slaves/$drive" ]; then tool "$program" --stop "$devices/${array##*/}"; fi
      done
    done
    for drive in $drives; do tool "$program" --zero-superblock "$devices/$drive"; done
    ;;
  create-array)
    check_drives
    modprobe -q -a raid0 raid1 raid10 raid456 2>/dev/null
    set --
    for drive in $drives; do
      wipe "$drive"
      set -- "$@" "$devices/$drive"
    done
    count=$#
    # mdadm asks whether one drive alone is meant.
    if [ "$count" -eq 1 ]; then set -- --force "$@"; fi
    if [ -n "$size" ]; then set -- --size="$size" "$@"; fi
    tool "$program" --create "$devices/md/$name" --run --metadata=1.2 --homehost=any --name="$name" \
      --level="$level" --raid-devices="$count" "$@"
    # The installed system continues to synchronize it.
    tool "$program" --stop "$devices/md/$name"
    ;;
esac
finish ended 0
