# shellcheck shell=sh disable=SC2154
# The end of a job that runs tools, whose output is in `said`. It reports in `exit`, as lines `<key> <value>`.

: >"$place/said"
: >"$place/report"
last_line() { grep . "$place/said" | tail -n 1; }
# What a tool said last; a job may find other words.
words() { last_line; }
finish() {
  {
    echo "state $1"
    echo "code ${2:-}"
    echo "said $(words | LC_ALL=C tr -cd '\40-\176' | cut -c1-200)"
  } >>"$place/report"
  mv "$place/report" "$place/exit"
  exit 0
}
tool() {
  "$@" >>"$place/said" 2>&1
  code=$?
  if [ "$code" -ne 0 ]; then finish ended "$code"; fi
}
