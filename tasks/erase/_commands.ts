/**
 * The commands that the agent gets: inspect the drives, start the jobs, watch them. POSIX scripts.
 *
 * 1. Every inserted value matches a pattern and is quoted: no drive name can become a command.
 * 2. The process that creates a job's directory starts the job. Starting is therefore idempotent; on a node that was
 *    rebooted, where the directory may be gone, it starts nothing.
 * 3. Watching changes nothing until it is cancelled: then it ends the jobs that can be ended, and reports the others.
 *    The starting command also watches, so a cancel never finds running jobs without a watcher.
 */
import type { Command } from 'nodewright/define';
import { jobScript } from './_job.ts';
import { samplesOf } from './_samples.ts';
import { methodOf, type ToolName, tools } from './_tools.ts';

/** The erase of one drive of this node, as it was inspected. */
export interface Job {
  devName: string;
  tool: ToolName;
  arg: string;
  /** Bytes. */
  size: number;
  /** Identifies the drive among all drives of the node. */
  identity: string;
  /** Duration that the firmware reports; 0: unknown. */
  minutes: number;
}

/** Seconds that one watch lasts; the engine regains control in between. */
const WATCH = 600;
const quoted = (value: string | number): string => `'${String(value).replaceAll("'", "'\\''")}'`;
const line = (...words: (string | number)[]): string => `${words[0]} ${words.slice(1).map(quoted).join(' ')}`;

const common = String.raw`or() { if [ -n "$1" ]; then echo "$1"; else echo "$2"; fi; }
jobs=$(or "$NODEWRIGHT_JOBS" /run/nodewright/jobs)
devices=$(or "$NODEWRIGHT_DEVICES" /dev)
boot_id=$(or "$NODEWRIGHT_BOOT_ID" /proc/sys/kernel/random/boot_id)
cancelled=$(or "$NODEWRIGHT_CANCELLED" /nonexistent)
progress=$(or "$NODEWRIGHT_PROGRESS" /dev/null)
poll=$(or "$NODEWRIGHT_POLL" 2)
sys=$(or "$NODEWRIGHT_SYS" /sys)
# From here on an unset variable is an error.
set -uf
boot() { cat "$boot_id"; }
printed() { head -n 1 | LC_ALL=C tr -cd '\40-\176' | sed 's/^ *//; s/ *$//'; }
field() {
  said=$(lsblk --nodeps --noheadings --output "$1" "$devices/$2" 2>/dev/null | printed)
  # Without udev, as in many microkernels, lsblk lacks some fields; the kernel has them.
  if [ -z "$said" ]; then
    at=$sys/block/$2
    case $1 in
      WWN) said=$( (cat "$at/wwid" || cat "$at/device/wwid") 2>/dev/null | printed) ;;
      SERIAL) said=$(tail -c +5 "$at/device/vpd_pg80" 2>/dev/null | printed) ;;
      REV) said=$( (printed <"$at/device/firmware_rev") 2>/dev/null) ;;
    esac
  fi
  printf '%s\n' "$said"
}
size() { blockdev --getsize64 "$devices/$1" 2>/dev/null || wc -c <"$devices/$1"; }
identity() { printf '%s %s %s' "$(field WWN "$1")" "$(field SERIAL "$1")" "$(size "$1")" | sha256sum | cut -c1-32; }
`;

const lookScript = String.raw`
say() { printf '%s %s\n' "$1" "$2"; }
look() {
  if [ ! -e "$devices/$1" ]; then return; fi
  say "$1.size" "$(size "$1")"
  say "$1.identity" "$(identity "$1")"
  for key in VENDOR MODEL SERIAL REV TRAN ROTA; do say "$1.$key" "$(field "$key" "$1" | cut -c1-40)"; done
  say "$1.mounted" "$(lsblk --noheadings --output MOUNTPOINT "$devices/$1" 2>/dev/null | tr -s ' \n' ' ')"
  if [ "$2" != hdparm ]; then return; fi
  say "$1.security" "$(hdparm -I "$devices/$1" 2>/dev/null | sed -n '/^Security:/,/^[A-Z]/p' | tr -s '\t\n ' ' ' | cut -c1-260)"
}
tool() {
  if ! command -v "$2" >/dev/null; then return; fi
  case $1 in
    scrub) version=-v ;;
    hdparm) version=-V ;;
    nvme_*) version=version ;;
    *) version=--version ;;
  esac
  say "$1.version" "$("$2" "$version" 2>&1 | head -n 1)"
}
needed() {
  for program in "$@"; do
    if ! command -v "$program" >/dev/null; then printf ' %s' "$program"; fi
  done
}
say boot "$(boot)"
say lacks "$(needed dd od paste setsid sha256sum sort stat tail tr)"
`;

/** Prints facts as lines `<name>.<key> <value>`: drives, tools, `boot`, and `lacks` (missing programs). Read-only. */
export function lookCommand(drives: readonly { devName: string; tool: ToolName }[]): Command {
  const used = [...new Set(drives.map(({ tool }) => tool))];
  const lines = [
    ...used.map((tool) => line('tool', tool, tools[tool].program)),
    ...drives.map(({ devName, tool }) => line('look', devName, tool)),
  ];
  return { command: `${common}${lookScript}${lines.join('\n')}\n`, timeoutSec: 300, repeatable: true };
}

const beginScript = `
refuse() {
  echo "$1" >&2
  exit 3
}
mkdir -p "$jobs" || refuse "cannot create the directory $jobs for jobs"
ready() {
  if [ -d "$jobs/$1" ]; then return; fi
  [ "$(identity "$2")" = "$3" ] || refuse "$2 is no longer the drive that was inspected"
}
begin() {
  mkdir "$jobs/$1" 2>/dev/null || return 0
  printf '%s' "$job" >"$jobs/$1/job"
  place=$jobs/$1 device=$devices/$2
  shift 2
  # Detached, so that it survives the agent.
  setsid sh "$place/job" "$place" "$device" "$@" </dev/null >"$place/trouble" 2>&1 &
}
`;

function beginLines(run: string, boot: string, jobs: readonly Job[]): string {
  const ids = jobs.map((_, at) => `${run}-${at}`);
  const lines = [
    `job=${quoted(jobScript)}`,
    // A cancel before this point starts no job; the watch reports that.
    'if [ ! -e "$cancelled" ]; then',
    `[ "$(boot)" = ${quoted(boot)} ] || refuse 'the node was rebooted'`,
    ...jobs.map(({ devName, identity }, at) => line('ready', ids[at] as string, devName, identity)),
    ...jobs.map(({ devName, tool, arg, size }, at) => {
      const blocks = samplesOf(ids[at] as string, size).join(' ');
      return line('begin', ids[at] as string, devName, tool, arg, blocks, methodOf(tool, arg).left);
    }),
  ];
  return `${beginScript}${lines.join('\n')}\nfi\n`;
}

const watchScript = String.raw`
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
# DIRECTORY NAME TOOL IN-FIRMWARE
stop() {
  if [ "$(state "$1")" = died ] && [ -n "$4" ]; then
    goes_on=4
    echo "$2: $3 may still be running in the firmware of the drive; do not cut its power."
  fi
  if [ "$(state "$1")" != running ]; then return; fi
  pid=$(cat "$1/pid" 2>/dev/null) || return
  kill -STOP -- "-$pid" 2>/dev/null
  if [ -n "$4" ] && [ -e "$1/erasing" ] && [ ! -e "$1/erased" ]; then
    kill -CONT -- "-$pid" 2>/dev/null
    goes_on=4
    echo "$2: $3 continues in the firmware of the drive and cannot be stopped; do not cut its power."
    return
  fi
  kill -KILL -- "-$pid" 2>/dev/null
  date -u +%Y-%m-%dT%H:%M:%SZ >"$1/ended"
  echo 137 >"$1/exit"
  if [ ! -e "$1/erasing" ]; then echo "$2: $3 had not started."
  elif [ -e "$1/erased" ]; then echo "$2: $3 had ended but was not verified."
  else echo "$2: $3 was stopped; a part of the drive is overwritten."; fi
}
`;

const loopScript = `
until=$(($(date +%s) + limit)) told=
while :; do
  if [ -e "$cancelled" ]; then
    goes_on=0
    each stop_one
    exit "$goes_on"
  fi
  count=0 over=0 sum=0 text=
  each look_one
  now="$over of $count drives are done"
  if [ "$now $((sum / count))" != "$told" ]; then
    told="$now $((sum / count))"
    echo "$((sum / count)) 100 $now:$text" >>"$progress"
  fi
  if [ "$over" -eq "$count" ] || [ "$(date +%s)" -ge "$until" ]; then break; fi
  sleep "$poll"
done
each tell_one
`;

const partsScript = String.raw`
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
`;

/**
 * Prints the outcome of the jobs as lines `<number>.<key> <value>`, when all have ended or after ten minutes.
 * @param run unique name of the erase @param boot the node's boot id at inspection
 */
export function watchCommand(run: string, boot: string, jobs: readonly Job[]): Command {
  return watching(run, `${common}${watchLines(run, boot, jobs)}`);
}

/** Starts the jobs, then watches them like `watchCommand`. */
export function beginCommand(run: string, boot: string, jobs: readonly Job[]): Command {
  return watching(run, `${common}${beginLines(run, boot, jobs)}${watchLines(run, boot, jobs)}`);
}

/** The interlock has the name of the run. */
const watching = (run: string, script: string): Command => ({
  command: script,
  timeoutSec: WATCH + 300,
  repeatable: true,
  cancellable: true,
  interlock: run,
});

function watchLines(run: string, boot: string, jobs: readonly Job[]): string {
  const each = jobs.map(({ devName, tool, arg, minutes }, at) => {
    const firmware = tools[tool].firmware ? 'yes' : '';
    const words = [at, `${run}-${at}`, devName, tool, firmware, methodOf(tool, arg).passes, minutes];
    return `  "$1" ${words.map(quoted).join(' ')}`;
  });
  const own = `expected_boot=${quoted(boot)} limit=${WATCH}\neach() {\n${each.join('\n')}\n}\n`;
  return `${watchScript}${partsScript}${own}${loopScript}`;
}
