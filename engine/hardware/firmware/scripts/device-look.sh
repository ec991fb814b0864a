# shellcheck shell=sh disable=SC2154
# Prints the drives of some kinds, and the versions that commands print, as lines `<name>.<key> <value>`. Read-only. Before it: kinds,
# needs (programs), packages (how many versions), version_0 and so on (their commands).

lacks=''
for program in $needs; do
  if ! command -v "$program" >/dev/null; then lacks="$lacks $program"; fi
done
say boot "$(boot)"
say lacks "$lacks"
say product "$( (printed <"$sys/class/dmi/id/product_name") 2>/dev/null)"
for drive in $(disks); do
  kind=$(kind_of "$drive")
  case " $kinds " in *" ${kind:-none} "*) ;; *) continue ;; esac
  say "$drive.kind" "$kind"
  say "$drive.answer" "$(ask "$drive")"
  say "$drive.used" "$(mounts "$drive")"
done
at=0
while [ "$at" -lt "$packages" ]; do
  eval "line=\$version_$at"
  say "$at.version" "$(version_by "$line")"
  at=$((at + 1))
done
say end yes
