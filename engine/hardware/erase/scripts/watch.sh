# shellcheck shell=sh disable=SC2154,SC2034
# The state of a job, its progress, and its end after a cancel.

percent() {
  case $2 in
    scrub) echo $(($(sed -n 's/^scrub: [^|]*|//p' "$1/out" 2>/dev/null | tr -cd . | wc -c) * 100 / (48 * $4))) ;;
    hdparm) if [ "$5" -gt 0 ] && [ -e "$1/erasing" ]; then echo $((($(date +%s) - $(stat -c %Y "$1/erasing")) * 100 / ($5 * 60))); fi ;;
    sg_*) sg_requests --progress "$3" 2>&1 | sed -n 's/.*rogress indication[^0-9]*\([0-9]*\).*/\1/p' | head -n 1 ;;
    nvme_sanitize)
      part=$(nvme sanitize-log "$(echo "$3" | sed 's/n[0-9]*$//')" 2>/dev/null | sed -n 's/.*(SPROG)[^:]*:[[:space:]]*\([0-9]*\).*/\1/p' | head -n 1)
      if [ -n "$part" ]; then echo $((part * 100 / 65535)); fi
      ;;
  esac
}
lives() {
  pid=$(cat "$1/pid" 2>/dev/null) || return 1
  kill -0 "$pid" 2>/dev/null && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -F "$1/job"
}
young() { [ $(($(date +%s) - $(stat -c %Y "$1"))) -lt 60 ]; }
state() {
  if [ "$(boot)" != "$expected_boot" ]; then echo lost
  elif [ ! -d "$1" ]; then echo absent
  elif [ -e "$1/exit" ]; then echo ended
  # Before the check for the process: its pid may be written in between.
  elif [ ! -s "$1/pid" ] && young "$1"; then echo running
  elif lives "$1"; then echo running
  elif [ -e "$1/exit" ]; then echo ended
  elif [ -e "$1/erasing" ]; then echo died
  else echo absent; fi
}
# A signal takes effect after kill has returned; a process that waits for its drive takes longer, or does not end.
wait_for_end() {
  tries=0
  while lives "$1" && [ "$tries" -lt 5 ]; do
    tries=$((tries + 1))
    sleep 1
  done
}
# DIRECTORY NAME TOOL IN-FIRMWARE. Signals to a group are sent without --, which dash and BusyBox do not know there.
stop() {
  # Before the pid is read: a job that has not written it yet finds this file, and ends.
  if [ -d "$1" ]; then : >"$1/cancelled"; fi
  # After a reboot, too: a drive that sanitizes itself continues.
  case $(state "$1") in
    died | lost) if [ -n "$4" ]; then
      goes_on=4
      echo "$2: $3 may still be running in the firmware of the drive; do not cut its power."
    fi ;;
  esac
  if [ "$(state "$1")" != running ]; then return; fi
  if ! pid=$(cat "$1/pid" 2>/dev/null); then
    echo "$2: $3 had not started."
    return
  fi
  kill -STOP "-$pid" 2>/dev/null
  if [ -n "$4" ] && [ -e "$1/erasing" ] && [ ! -e "$1/erased" ]; then
    kill -CONT "-$pid" 2>/dev/null
    goes_on=4
    echo "$2: $3 continues in the firmware of the drive and cannot be stopped; do not cut its power."
    return
  fi
  kill -KILL "-$pid" 2>/dev/null
  wait_for_end "$1"
  if lives "$1"; then
    goes_on=4
    echo "$2: $3 could not be stopped."
    return
  fi
  date -u +%Y-%m-%dT%H:%M:%SZ >"$1/ended"
  echo 137 >"$1/exit"
  if [ ! -e "$1/erasing" ]; then echo "$2: $3 had not started."
  elif [ -e "$1/erased" ]; then echo "$2: $3 had ended but was not verified."
  else echo "$2: $3 was stopped; a part of the drive is overwritten."; fi
}
