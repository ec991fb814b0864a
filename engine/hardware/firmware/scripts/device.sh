# shellcheck shell=sh disable=SC2154
# Questions about the firmware of a node. A drive is asked itself: the kernel shows the versions that it found when it booted.

kind_of() {
  case $1-$(field VENDOR "$1")-$(field TRAN "$1") in
    nvme*) echo nvme ;;
    # Behind a controller of SAS too.
    *-ATA-* | *ata) echo sata ;;
    *-sas | *-fc | *-spi) echo sas ;;
  esac
}
# The firmware of NVMe is that of the controller, whichever namespace is named.
path_of() { case $1 in nvme*) echo "$devices/${1%n[0-9]*}" ;; *) echo "$devices/$1" ;; esac; }
# Prints serial number, version and model, with bars in between.
ask() {
  case $(kind_of "$1") in
    nvme) nvme id-ctrl "$(path_of "$1")" ;;
    sata) hdparm -I "$(path_of "$1")" ;;
    sas) sg_inq "$(path_of "$1")" ;;
  esac 2>/dev/null | awk '
    function keep(key) { if (!(key in v)) v[key] = value }
    {
      at = index($0, ":")
      key = substr($0, 1, at - 1)
      value = substr($0, at + 1)
      gsub(/^[ \t]+|[ \t]+$/, "", key)
      gsub(/^[ \t]+|[ \t]+$|\|/, "", value)
    }
    key == "sn" || tolower(key) ~ /^(unit )?serial number$/ { keep("serial") }
    key == "fr" || key == "Firmware Revision" || key == "Product revision level" { keep("version") }
    key == "mn" || key == "Model Number" || key == "Product identification" { keep("model") }
    END { print v["serial"] "|" v["version"] "|" v["model"] }' | printed
}
# Prints what a command of the user says.
version_by() { timeout 60 sh -c "$1" 2>/dev/null </dev/null | printed | cut -c1-64; }
