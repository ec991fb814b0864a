# shellcheck shell=sh disable=SC2154
# Watches all jobs until they have ended, the time is over, or the command is cancelled.

until=$(($(date +%s) + limit)) printed=
while :; do
  if [ -e "$cancelled" ]; then
    goes_on=0
    each stop_one
    exit "$goes_on"
  fi
  count=0 over=0 sum=0 text=
  each look_one
  now="$over of $count drives are done"
  if [ "$now $((sum / count))" != "$printed" ]; then
    printed="$now $((sum / count))"
    echo "$((sum / count)) 100 $now:$text" >>"$progress"
  fi
  if [ "$over" -eq "$count" ] || [ "$(date +%s)" -ge "$until" ]; then break; fi
  sleep "$poll"
done
each tell_one
# A cancel may have come since the last look: the command must not look as if it had ended.
if [ "$over" -lt "$count" ]; then exit "$running"; fi
