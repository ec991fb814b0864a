# shellcheck shell=sh disable=SC2154
# Updates the firmware of one device: fetches the file, checks it, writes it, and reads the version. Before it: `common.sh`, `device.sh`,
# `jobs/scripts/fetch.sh`, `jobs/scripts/tool-job.sh`.

# Sets boot_before, kind, url, sum, name (of the file), version; of a drive also drive, serial, slot, action; of a package also
# arguments, version_command.
# shellcheck source=/dev/null
. "$place/wanted"

# Not below /run, where many systems run no programs.
content=$(mktemp -d "${TMPDIR:-/tmp}/firmware.XXXXXX") || exit 1
trap 'rm -rf "$content"' EXIT
file=$content/$name
stage() { echo "$1 3 $2" >"$place/stage"; }
# Longer than any device takes.
limited() { timeout 3600 "$@"; }
# Prints nothing if the drive is another one, or does not answer.
version_now() {
  if [ "$kind" = package ]; then
    version_by "$version_command"
    return
  fi
  answer=$(ask "$drive")
  case $answer in "$serial|"*)
    answer=${answer#*|}
    echo "${answer%%|*}"
    ;;
  esac
}

if [ "$(boot)" != "$boot_before" ]; then finish lost; fi
if [ -z "$(version_now)" ]; then finish changed; fi
stage 1 'fetching the file'
if ! fetch >"$file" 2>>"$place/said"; then finish unavailable; fi
found=$(sha256sum "$file" | cut -c1-64)
if [ "$found" != "$sum" ]; then
  echo "$found" >>"$place/said"
  finish mismatch
fi

: >"$place/critical"
# The one who cancels looks for `critical` after it has made this file.
if [ -e "$place/cancelled" ]; then
  rm -f "$place/critical"
  exit 0
fi
stage 2 'writing firmware'
tries=15 code=0
case $kind in
  nvme)
    tool limited nvme fw-download "$(path_of "$drive")" --fw="$file"
    limited nvme fw-commit "$(path_of "$drive")" --slot="$slot" --action="$action" >>"$place/said" 2>&1 || code=$?
    # It accepts the firmware also if it demands a reset, with another exit code in some versions of nvme.
    if [ "$code" -ne 0 ] && ! last_line | grep -q -i 'requires.* reset'; then finish ended "$code"; fi
    if [ "$action" = 1 ]; then tool limited nvme reset "$(path_of "$drive")"; fi
    code=0
    ;;
  # The kernel does not translate WRITE BUFFER for SATA: such drives need their own command, DOWNLOAD MICROCODE.
  sata) tool limited hdparm --yes-i-know-what-i-am-doing --please-destroy-my-drive --fwdownload "$file" "$(path_of "$drive")" ;;
  # In parts of 4 KiB, which all drives and controllers accept.
  sas) tool limited sg_write_buffer --mode=dmc_offs_save --bpw=4k --in="$file" "$(path_of "$drive")" ;;
  package)
    chmod 700 "$file"
    eval "set -- $arguments"
    cd "$content" || exit 1
    limited "$@" >>"$place/said" 2>&1 </dev/null || code=$?
    tries=0
    ;;
esac
stage 3 'reading the version'
while
  after=$(version_now)
  [ "$after" != "$version" ] && [ "$tries" -gt 0 ]
do
  tries=$((tries - 1))
  sleep "${NODEWRIGHT_PAUSE:-2}"
done
echo "after $after" >>"$place/report"
finish ended "$code"
