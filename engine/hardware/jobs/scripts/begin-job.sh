# shellcheck shell=sh disable=SC2034
# How each job begins, detached from the agent. Its argument is its directory; `wanted` there has its parameters.

place=$1
echo $$ >"$place/pid.new"
mv "$place/pid.new" "$place/pid"
# A cancel may have come before there was a pid to kill.
if [ -e "$place/cancelled" ]; then exit 0; fi
