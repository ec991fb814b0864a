# shellcheck shell=sh
# The job on the node for one drive, detached from the agent: samples, the tool, samples again. Its arguments are:
# directory, device, tool, argument, the blocks to read, the expected byte.

poll=$NODEWRIGHT_POLL
set -uf
if [ -z "$poll" ]; then poll=5; fi
dir=$1 device=$2 tool=$3 arg=$4 blocks=$5 expected=$6
# First of all: without a pid the job would look as if it had never started.
echo $$ >"$dir/pid.new"
mv "$dir/pid.new" "$dir/pid"
# A cancel may have come before there was a pid to kill.
if [ -e "$dir/cancelled" ]; then
  echo 137 >"$dir/exit"
  exit 0
fi
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
finish() {
  now >"$dir/ended"
  echo "$1" >"$dir/exit.new"
  mv "$dir/exit.new" "$dir/exit"
  exit 0
}

read_block() {
  # Bypasses the page cache, where possible.
  dd if="$device" bs=4096 skip="$1" count=1 iflag=direct 2>/dev/null || dd if="$device" bs=4096 skip="$1" count=1 2>/dev/null
}
samples() {
  for at in $blocks; do
    read_block "$at" >"$dir/block"
    if [ ! -s "$dir/block" ]; then
      echo "$at - --"
      continue
    fi
    # One line per byte: a block of equal bytes leaves one line.
    bytes=$(od -An -v -tx1 -w1 "$dir/block" | sort -u | tr -d ' ')
    case $bytes in
      ??) ;;
      *) bytes=-- ;;
    esac
    # shellcheck disable=SC2046
    set -- $(sha256sum <"$dir/block")
    echo "$at $1 $bytes"
  done
  rm -f "$dir/block"
}

# Counts: blocks read, blocks with the expected byte, unchanged blocks, unchanged blocks that were not blank, unreadable
# blocks.
judge() {
  read=0 matching=0 same=0 old=0 unreadable=0
  paste -d ' ' "$dir/before" "$dir/after" >"$dir/both"
  while read -r _ was was_byte _ is is_byte; do
    if [ "$is" = - ]; then
      unreadable=$((unreadable + 1))
      continue
    fi
    read=$((read + 1))
    if [ "$is_byte" = "$expected" ]; then matching=$((matching + 1)); fi
    if [ "$is" != "$was" ]; then continue; fi
    same=$((same + 1))
    if [ "$was_byte" = -- ]; then old=$((old + 1)); fi
  done <"$dir/both"
  echo "$read $matching $same $old $unreadable" >"$dir/verdict"
}

secure_erase() {
  hdparm --user-master u --security-set-pass nodewright "$device" || return 1
  if hdparm --user-master u "--$arg" nodewright "$device"; then
    # Some drives fail silently; after an erase the password is gone.
    hdparm -I "$device" | grep 'not[[:space:]]*enabled' && return 0
    echo 'the drive still has its password: it was not erased'
  fi
  hdparm --user-master u --security-disable nodewright "$device"
  return 1
}

sanitize_state() {
  nvme sanitize-log "$1" | sed -n 's/.*(SSTAT)[^:]*:[[:space:]]*\([0-9a-fA-Fx]*\).*/\1/p' | head -n 1
}
nvme_sanitize() {
  controller=$(echo "$device" | sed 's/n[0-9]*$//')
  nvme sanitize "$controller" "--sanact=$1" || return 1
  while sleep "$poll"; do
    state=$(sanitize_state "$controller")
    if [ -z "$state" ]; then state=0; fi
    case $((state & 7)) in
      1 | 4) return 0 ;;
      2) ;;
      *)
        echo "the sanitize log reports the state $state"
        return 1
        ;;
    esac
  done
}

erase() {
  case $tool-$arg in
    scrub-*) scrub -f -S -p "$arg" "$device" ;;
    hdparm-*) secure_erase ;;
    sg_sanitize-*) sg_sanitize "--$arg" --quick "$device" ;;
    sg_format-*) sg_format --format --quick "--cmplst=$arg" "$device" ;;
    nvme_format-user-data) nvme format "$device" --ses=1 --force ;;
    nvme_format-crypto) nvme format "$device" --ses=2 --force ;;
    nvme_sanitize-block) nvme_sanitize 0x02 ;;
    nvme_sanitize-overwrite) nvme_sanitize 0x03 ;;
    nvme_sanitize-crypto) nvme_sanitize 0x04 ;;
  esac
}

now >"$dir/started"
samples >"$dir/before"
now >"$dir/erasing"
code=0
erase >"$dir/out" 2>&1 || code=$?
now >"$dir/erased"
sync
blockdev --flushbufs "$device" 2>/dev/null
if [ "$code" -eq 0 ]; then
  samples >"$dir/after"
  judge
fi
finish "$code"
