# shellcheck shell=sh disable=SC2154
# Prints the drives and volumes of RAID controllers as lines `<name>.<key> <value>`, whose values have parts between bars. Read-only.
# Before it: tools, those that are asked, until one has a controller.

# Vendors install their tools in folders of their own.
program_of() {
  for path in "$(command -v "$1")" /opt/MegaRAID/perccli/"$1" /opt/MegaRAID/storcli/"$1"; do
    if [ -x "$path" ]; then
      echo "$path"
      return
    fi
  done
}
# Puts each key of JSON on a line of its own.
keys() { tr ',{}[]' '\n'; }
ask() { "$program" "$@" show all J 2>/dev/null; }
# Drives: place, state, group, size, interface, medium, serial number. Volumes: level, size, name, places of the drives.
# shellcheck disable=SC2016
functions='
  function value(text) {
    text = NF > 3 ? $4 : $3
    if (NF < 4) sub(/^ *: */, "", text)
    gsub(/^ +| +$|[|{}]/, "", text)
    return text
  }
  function named(path) {
    gsub("/", "-", path)
    return substr(path, 2)
  }'
drive_lines() {
  keys | awk -F '"' "$functions"'
    function flush() {
      if (path != "") print named(path) ".drive " v["EID:Slt"] "|" v["State"] "|" v["DG"] "|" v["Size"] "|" v["Intf"] "|" v["Med"] "|" v["SN"]
    }
    $2 ~ /^Drive \/c/ {
      split($2, words, " ")
      if (words[2] != path) { flush(); split("", v); path = words[2] }
      next
    }
    path != "" && NF > 2 && !($2 in v) { v[$2] = value() }
    END { flush() }'
}
volume_lines() {
  keys | awk -F '"' "$functions"'
    $2 ~ /^\/c[0-9]+\/v[0-9]+$/ { path = $2; number = path; sub(/.*v/, "", number); paths[number] = path; part = "row"; next }
    $2 ~ /^PDs for VD / { number = $2; sub(/PDs for VD /, "", number); part = "drives"; next }
    $2 ~ /^VD[0-9]+ Properties$/ { part = "" }
    NF < 3 { next }
    part == "row" && $2 == "TYPE" { type[number] = value() }
    part == "row" && $2 == "Size" { size[number] = value() }
    part == "row" && $2 == "Name" { name[number] = value() }
    part == "drives" && $2 == "EID:Slt" { drives[number] = drives[number] " " value() }
    END { for (n in paths) print named(paths[n]) ".volume " type[n] "|" size[n] "|" name[n] "|" substr(drives[n], 2) }'
}
# Returns 1 if the tool has no controller.
controllers() {
  number=0
  count=$("$program" show ctrlcount J 2>/dev/null | keys | sed -n 's/.*"Controller Count" *: *\([0-9][0-9]*\).*/\1/p' | head -n 1)
  if [ "${count:-0}" -eq 0 ]; then return 1; fi
  while [ "$number" -lt "$count" ]; do
    say "c$number.controller" "$tool"
    # Some controllers have no enclosure.
    drives=$(ask "/c$number/eall/sall" | drive_lines)
    if [ -z "$drives" ]; then drives=$(ask "/c$number/sall" | drive_lines); fi
    printf '%s\n' "$drives"
    ask "/c$number/vall" | volume_lines
    number=$((number + 1))
  done
}
# Of each drive: serial number, bytes, transport, whether it rotates, where it is used; of its superblock: magic, array, name, level, KiB.
# Arrays are read from the drives: nothing is assembled.
arrays() {
  say mdadm.controller mdadm
  for name in $(disks); do
    superblock=$(mdadm --examine "$devices/$name" 2>/dev/null | awk -F ' : ' '
      { sub(/^ */, "", $1); split($2, words, " ") }
      $1 == "UUID" { $1 = "Array UUID" }
      { v[$1] = words[1] }
      END { print v["Magic"] "|" v["Array UUID"] "|" v["Name"] "|" v["Raid Level"] "|" v["Array Size"] }')
    say "$name.disk" "$(field SERIAL "$name" | tr -d '|' | cut -c1-64)|$(size "$name")|$(field TRAN "$name")|$(field ROTA "$name")|$(mounts "$name")|$superblock"
  done
}
say boot "$(boot)"
for tool in $tools; do
  program=$(program_of "$tool")
  if [ -z "$program" ]; then continue; fi
  say program "$program"
  case $tool in
    mdadm) arrays ;;
    *) if ! controllers; then continue; fi ;;
  esac
  break
done
say end yes
