# shellcheck shell=sh disable=SC2154
# Starts a job, unless it was started since the node booted, and watches it. Before it: run, job, limit, running, wanted, what,
# and the functions seed, stopped and died, which get the directory of the job.

jobs=${NODEWRIGHT_JOBS:-/run/nodewright/jobs}
cancelled=${NODEWRIGHT_CANCELLED:-}
progress=${NODEWRIGHT_PROGRESS:-/dev/null}
place=$jobs/$run
set -u
mkdir -p "$jobs"
# Creating the directory is the right to start the job: of several agents, one has it.
if [ ! -e "$cancelled" ] && mkdir "$place" 2>/dev/null; then
  printf '%s' "$job" >"$place/job"
  printf '%s' "$wanted" >"$place/wanted"
  seed "$place"
  setsid sh "$place/job" "$place" </dev/null >"$place/log" 2>&1 &
fi

alive() {
  pid=$(cat "$place/pid" 2>/dev/null) || return 1
  kill -0 "$pid" 2>/dev/null && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -F "$place/job"
}
# The clock of a node is often set while its system boots.
seconds() { cut -d. -f1 /proc/uptime; }
seen=$(seconds) printed=''
until=$((seen + limit))
while [ ! -e "$place/exit" ] && [ "$(seconds)" -lt "$until" ]; do
  if [ -e "$cancelled" ]; then
    # Before the pid is read: a job that has not written it yet finds this file, and ends.
    if [ -d "$place" ]; then : >"$place/cancelled"; fi
  fi
  # A job that would leave a device broken has the file critical: it is brought to its end.
  if [ -e "$cancelled" ] && [ ! -e "$place/critical" ]; then
    # Without --, which dash and BusyBox do not know after a signal.
    if alive; then kill -KILL "-$(cat "$place/pid")" 2>/dev/null; fi
    tries=0
    while alive && [ "$tries" -lt 5 ]; do
      tries=$((tries + 1))
      sleep 1
    done
    if alive; then
      echo "$what could not be stopped."
      exit 4
    fi
    stopped "$place"
    exit 0
  fi
  # A job without a process for a minute has died, or was never started.
  if alive; then seen=$(seconds); fi
  if [ $(($(seconds) - seen)) -gt "${NODEWRIGHT_SILENT:-60}" ] && [ ! -e "$place/exit" ]; then
    died "$place"
    exit 0
  fi
  now=$(cat "$place/stage" 2>/dev/null) || now=
  if [ "$now" != "$printed" ]; then
    printed=$now
    echo "$now" >>"$progress"
  fi
  sleep "${NODEWRIGHT_POLL:-2}"
done
if [ -e "$place/exit" ]; then
  if [ -e "$cancelled" ] && [ -e "$place/critical" ]; then stopped "$place"; else cat "$place/exit"; fi
  exit 0
fi
echo 'running yes'
exit "$running"
