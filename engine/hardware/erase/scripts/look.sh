# shellcheck shell=sh disable=SC2154
# Prints facts about drives and tools as lines `<name>.<key> <value>`. Read-only.

look() {
  if [ ! -e "$devices/$1" ]; then return; fi
  say "$1.size" "$(size "$1")"
  say "$1.identity" "$(identity "$1")"
  for key in VENDOR MODEL SERIAL REV TRAN ROTA; do say "$1.$key" "$(field "$key" "$1" | cut -c1-40)"; done
  say "$1.mounted" "$(mounts "$1")"
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
