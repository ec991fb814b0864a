# shellcheck shell=sh disable=SC2154
# Prints facts about the machine before and after a burn-in, as lines `<name>.<key> <value>`. Read-only. Before it: serials, those of
# the drives to look at; empty: all.

# Of an error counter of all memory controllers (EDAC); nothing where the kernel has none.
counted() {
  find "$sys/devices/system/edac/mc" -maxdepth 2 -name "$1" -exec cat {} + 2>/dev/null | awk '{ total += $1 } END { if (NR) print total }'
}
smart() {
  smartctl -H -A "$devices/$1" 2>/dev/null | awk -v name="$1" '
    /self-assessment test result:/ { print name ".health " $NF }
    /^SMART Health Status:/ { print name ".health " $4 }
    $1 == 5 && $2 ~ /_/ { print name ".reallocated " $10 }
    $1 == 187 && $2 ~ /_/ { print name ".reported " $10 }
    $1 == 197 && $2 ~ /_/ { print name ".pending " $10 }
    $1 == 198 && $2 ~ /_/ { print name ".uncorrectable " $10 }
    /^Elements in grown defect list:/ { print name ".reallocated " $NF }
    /^Critical Warning:/ { print name ".warning " $NF }
    /^Media and Data Integrity Errors:/ { gsub(/,/, "", $NF); print name ".media " $NF }'
}
say boot "$(boot)"
say cpus "$(nproc)"
say mib "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)"
say corrected "$(counted ce_count)"
say uncorrected "$(counted ue_count)"
say exceptions "$(awk '$1 == "MCE:" { for (n = 2; n <= NF; n++) if ($n ~ /^[0-9]+$/) total += $n; print total + 0 }' /proc/interrupts)"
for program in stress-ng memtester fio iperf3 smartctl; do
  command -v "$program" >/dev/null || continue
  # memtester says its version only when it tests.
  case $program in memtester) version=installed ;; *) version=$("$program" --version 2>&1 | head -n 1) ;; esac
  say "$program.version" "$(printf '%s' "$version" | LC_ALL=C tr -cd '\40-\176' | cut -c1-60)"
done
for name in $(disks); do
  serial=$(field SERIAL "$name" | cut -c1-40)
  case ",$serials," in ,, | *",$serial,"*) ;; *) continue ;; esac
  say "$name.serial" "$serial"
  say "$name.model" "$(field MODEL "$name" | cut -c1-40)"
  say "$name.size" "$(size "$name")"
  say "$name.identity" "$(identity "$name")"
  say "$name.used" "$(lsblk --noheadings --output MOUNTPOINT,TYPE "$devices/$name" 2>/dev/null | sed 's/ *disk$//; s/ *part$//; s/ *rom$//' | tr -s ' \n' ' ' | cut -c1-80)"
  if command -v smartctl >/dev/null; then smart "$name"; fi
done
