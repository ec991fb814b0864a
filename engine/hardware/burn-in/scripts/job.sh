# shellcheck shell=sh disable=SC2154
# Runs one test of a burn-in, and watches temperatures. Its beginning is that of each job (`jobs/scripts/begin-job.sh`). It reports
# in `exit`, as lines `<name>.<key> <value>`.

# Patterns of files are expanded from here on. Tools leave files where they run.
set +f
cd "$place" || exit 1
# Sets test, boot_before, seconds, floor, cpu_limit, drive_limit, and what the test needs.
# shellcheck source=/dev/null
. "$place/wanted"

say() { printf '%s %s\n' "$1" "$2" >>"$place/report"; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
# The clock of a node is often set while its system boots.
seconds_up() { cut -d. -f1 /proc/uptime; }
# The last line of a tool that says something.
last_words() { grep -v '^[0-9]*;' "$1" 2>/dev/null | grep . | tail -n 1 | LC_ALL=C tr -cd '\40-\176' | cut -c1-160; }
# Runs a tool in the process group of the job, which a cancel ends. The loop below can end it, too.
tool() {
  "$@" &
  echo $! >>"$place/tools"
  wait $!
}

cpu() {
  tool stress-ng --cpu 0 --cpu-method all --verify --metrics-brief --timeout "${seconds}s" --temp-path "$place" >"$place/said" 2>&1
  code=$?
  awk '$1 ~ /stress-ng/ { for (n = 2; n < NF; n++) if ($n == "cpu" && $(n + 1) ~ /^[0-9]+$/) print "operations " $(n + 5) }' "$place/said" >>"$place/report"
  say errors "$(grep -c 'fail:' "$place/said")"
  if [ "$code" -ne 0 ]; then say said "$(grep 'fail:' "$place/said" | head -n 1 | cut -c1-160)"; fi
  return "$code"
}

# memtester has no duration: it is ended when the time is over.
test_part() {
  {
    tool memtester "${each}M" 2>&1
    echo "code $?"
  } | awk '
    /Loop/ { loops++ }
    /FAILURE/ { errors++; sub(/.*FAILURE/, "FAILURE"); if (first == "") first = $0 }
    /^code/ { code = $2; next }
    /[a-z]/ { last = $0 }
    END { print code + 0, (loops ? loops - 1 : 0), errors + 0, substr((first == "" ? last : first), 1, 120) }' >"$place/part.$1"
}
memory() {
  mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  mib=$((mib * share / 100)) processes=$(nproc)
  while [ "$processes" -gt 1 ] && [ $((mib / processes)) -lt 64 ]; do processes=$((processes / 2)); done
  each=$((mib / processes)) n=0
  while [ "$n" -lt "$processes" ]; do
    n=$((n + 1))
    test_part "$n" &
  done
  wait
  say mib "$((each * processes))"
  say processes "$processes"
  cat "$place"/part.* | LC_ALL=C tr -cd '\12\40-\176' | awk '
    { if (NR == 1 || $2 < loops) loops = $2; errors += $3 }
    # A part that was ended by a signal ran until the time was over.
    $3 > 0 || $1 < 128 { if (said == "") said = substr($0, length($1 $2 $3) + 4) }
    $3 == 0 && $1 < 128 { early++ }
    END { print "loops " loops; print "errors " errors; print "early " early + 0; if (said != "") print "said " said }' >>"$place/report"
}

fio_on() {
  name=$1
  shift
  tool fio --name=burn-in --filename="$devices/$name" --thread --direct=1 --ioengine=psync --bs=1M \
    --output-format=terse --terse-version=3 "$@" >"$place/said.$name" 2>&1
  say "$name.code" "$?"
}
# COLUMN: the bandwidth in fio's line.
fio_report() {
  for name in $drives; do
    say "$name.kbps" "$(awk -F';' -v column="$1" '$1 == 3 { print $column }' "$place/said.$name" | tail -n 1)"
    words=$(last_words "$place/said.$name")
    if [ -n "$words" ]; then say "$name.said" "$words"; fi
  done
}
disk() {
  for name in $drives; do fio_on "$name" --readonly --rw=read --time_based --runtime="$seconds" & done
  wait
  fio_report 7
}
# The content of these drives is lost. Each is still the drive that was named, and nothing uses it.
write() {
  for name in $drives; do
    identity=$(identity "$name")
    case " $identities " in *" $name=$identity "*) ;; *) say "$name.changed" yes && continue ;; esac
    fio_on "$name" --rw=write --runtime="$seconds" --verify=crc32c --verify_backlog=256 --verify_fatal=1 --verify_state_save=0 &
  done
  wait
  fio_report 48
}

iperf() {
  way=$1
  shift
  tool iperf3 -c "$peer" -p "$port" -P "$streams" -t $(((seconds + 1) / 2)) -i 0 -J "$@" >"$place/said.$way" 2>&1
  code=$?
  words=$(sed -n 's/.*"error":[[:space:]]*"\(.*\)".*/\1/p' "$place/said.$way" | head -n 1 | cut -c1-160)
  # With -J some versions end with 0, whatever happened.
  if [ -n "$words" ]; then code=1; fi
  say "$way.code" "$code"
  say "$way.said" "$words"
  say "$way.mbps" "$(awk '/"end":/ { end = 1 } end && /"sum_received":/ { sum = 1 }
    sum && /"bits_per_second":/ { gsub(/[^0-9.e+-]/, "", $NF); printf "%d\n", $NF / 1000000; exit }' "$place/said.$way")"
  return "$code"
}
network() {
  say peer "$peer"
  iperf send && iperf receive -R
}

# NAMES FILES: the highest temperature of sensors with these names, in degrees Celsius; nothing without one.
celsius() {
  for chip in "$sys"/class/hwmon/hwmon*; do
    # shellcheck disable=SC2086
    case " $1 " in *" $(cat "$chip/name" 2>/dev/null) "*) cat "$chip"/$2 2>/dev/null ;; esac
  done | awk '$1 > most { most = $1 } END { if (most) print int(most / 1000) }'
}
hottest() {
  is=$(celsius 'coretemp k10temp zenpower cpu_thermal' 'temp*_input')
  if [ "${is:-0}" -gt "${cpu_celsius:-0}" ]; then cpu_celsius=$is; fi
  is=$(celsius 'nvme drivetemp' 'temp1_input')
  if [ "${is:-0}" -gt "${drive_celsius:-0}" ]; then drive_celsius=$is; fi
}
signal_tools() {
  while read -r pid; do kill "-$1" "$pid" 2>/dev/null; done <"$place/tools"
}
# Until the test has ended, or for so many seconds.
wait_for_test() {
  tries=0
  while [ ! -e "$place/code" ] && [ "$tries" -lt "$1" ]; do
    tries=$((tries + 1))
    sleep 1
  done
}
finish() {
  say state "$1"
  say ended "$(now)"
  mv "$place/report" "$place/exit"
  exit 0
}

: >"$place/tools"
say started "$(now)"
say floor "$floor"
say cpuLimit "$cpu_limit"
say driveLimit "$drive_limit"
# A machine that restarted has lost its test, which is not begun again.
if [ "$(boot)" != "$boot_before" ]; then finish lost; fi
cpu_celsius='' drive_celsius='' state='ended' printed=''
began=$(seconds_up)
{
  case $test in
    cpu) cpu ;;
    memory) memory ;;
    disk) disk ;;
    write) write ;;
    network) network ;;
  esac
  echo $? >"$place/code.new"
  mv "$place/code.new" "$place/code"
} >"$place/out" 2>&1 &
while [ ! -e "$place/code" ]; do
  sleep "$poll"
  elapsed=$(($(seconds_up) - began))
  hottest
  percent=$((elapsed * 100 / seconds))
  if [ "$percent" -gt 100 ]; then percent=100; fi
  text="$percent 100 $test${cpu_celsius:+, CPU up to $cpu_celsius C}${drive_celsius:+, drives up to $drive_celsius C}"
  if [ "$text" != "$printed" ]; then echo "$text" >"$place/stage"; fi
  printed=$text
  if [ "${cpu_celsius:-0}" -gt "$cpu_limit" ] || [ "${drive_celsius:-0}" -gt "$drive_limit" ]; then
    state=hot
  elif [ "$elapsed" -gt $((seconds + ${NODEWRIGHT_GRACE:-120})) ]; then
    state=late
  elif [ "$test" != memory ] || [ "$elapsed" -lt "$seconds" ]; then
    continue
  fi
  # Not INT, which shells let programs in the background ignore.
  signal_tools TERM
  wait_for_test 15
  signal_tools KILL
  wait_for_test 5
  break
done
say cpuCelsius "$cpu_celsius"
say driveCelsius "$drive_celsius"
say code "$(cat "$place/code" 2>/dev/null)"
finish "$state"
