# shellcheck shell=sh disable=SC2154
# Writes a file to standard output: `url`, a path below the file server of the daemon, or a URL.

word() { tr ' ' '\n' </proc/cmdline | sed -n "s/^nodewright\.$1=//p" | tail -n 1; }
api=$(word api) key=$(word key)
# The key of the node is for its daemon only.
get() {
  case $url in
    *://*) curl -sfL --connect-timeout 30 --speed-limit 1 --speed-time 60 "$@" "$url" ;;
    *) curl -sf ${key:+-H "x-nodewright-key: $key"} --connect-timeout 30 --speed-limit 1 --speed-time 60 "$@" "${api%/api/current}/$url" ;;
  esac
}
# In parts, so that a server that is restarted in between, such as the daemon, does not end it.
part=16777216
# Waits between tries, for five minutes: the daemon, or another server, may be down when the job begins.
again() {
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then return 1; fi
  sleep "${NODEWRIGHT_PAUSE:-5}"
}
ranges() {
  tries=0
  until head=$(get -I -w '\nended %{http_code}'); do
    # It may answer a GET nevertheless.
    case ${head##*ended } in 4* | 501) return 1 ;; esac
    again || return 1
  done
  printf '%s\n' "$head" | grep -qi '^accept-ranges: *bytes'
}
fetch() {
  if ! ranges; then
    get --retry 3
    return
  fi
  at=0 tries=0
  while :; do
    code=$(get -r "$at-$((at + part - 1))" -o "$place/part" -w '%{http_code}') && ended=yes || ended=no
    case $ended-$code in
      yes-206)
        cat "$place/part" || return 1
        got=$(wc -c <"$place/part")
        at=$((at + got)) tries=0
        if [ "$got" -lt "$part" ]; then return 0; fi
        ;;
      no-416) if [ "$at" -gt 0 ]; then return 0; else return 22; fi ;;
      yes-* | no-40[0-9]) return 22 ;;
      *)
        again || return 28
        ;;
    esac
  done
}
