# shellcheck shell=sh disable=SC2154
# Starts the job of a drive: the process that creates its directory.

reject() {
  echo "$1" >&2
  exit 3
}
mkdir -p "$jobs" || reject "cannot create the directory $jobs for jobs"
ready() {
  if [ -d "$jobs/$1" ]; then return; fi
  [ "$(identity "$2")" = "$3" ] || reject "$2 is no longer the drive that was inspected"
}
begin() {
  mkdir "$jobs/$1" 2>/dev/null || return 0
  printf '%s' "$job" >"$jobs/$1/job"
  place=$jobs/$1 device=$devices/$2
  shift 2
  # Detached, so that it survives the agent.
  setsid sh "$place/job" "$place" "$device" "$@" </dev/null >"$place/trouble" 2>&1 &
}
