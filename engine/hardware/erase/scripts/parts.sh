# shellcheck shell=sh disable=SC2154
# The functions that the loop calls for each job: NUMBER JOB NAME TOOL IN-FIRMWARE PASSES MINUTES.

stop_one() { stop "$jobs/$2" "$3" "$4" "$5"; }
look_one() {
  count=$((count + 1)) part=100
  if [ "$(state "$jobs/$2")" = running ]; then
    part=$(percent "$jobs/$2" "$4" "$devices/$3" "$6" "$7")
    if [ -z "$part" ]; then part=0; fi
    if [ "$part" -gt 99 ]; then part=99; fi
  else
    over=$((over + 1))
  fi
  sum=$((sum + part))
  text="$text $3 $part%"
}
tell_one() {
  echo "$1.state $(state "$jobs/$2")"
  for key in started erasing erased ended exit verdict; do
    if [ -e "$jobs/$2/$key" ]; then echo "$1.$key $(head -n 1 "$jobs/$2/$key")"; fi
  done
  for key in before after; do
    if [ -e "$jobs/$2/$key" ]; then echo "$1.$key $(sha256sum <"$jobs/$2/$key" | cut -c1-64)"; fi
  done
  if [ "$(head -n 1 "$jobs/$2/exit" 2>/dev/null)" = 0 ]; then return; fi
  said=$(cat "$jobs/$2/trouble" "$jobs/$2/out" 2>/dev/null | tail -n 1 | LC_ALL=C tr -cd '\40-\176' | cut -c1-120)
  printf '%s.said %s\n' "$1" "$said"
}
