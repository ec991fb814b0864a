/**
 * Programs instead of those that access the firmware of drives: they print the output of the real ones, keep the state
 * of a drive, and erase the file. They verify our commands and the handling of answers, but nothing about real
 * firmware.
 */
import type { Bay } from './bay.ts';

const erase = `
erase() {
  echo "$*" >>"$bay/ledger"
  while [ -e "$bay/hold" ]; do sleep 0.05; done
  size=$(wc -c <"$device")
  head -c "$size" /dev/zero >"$device"
}
for device in "$@"; do case $device in /*) break ;; esac; done
`;

const hdparm = `${erase}
state=$bay/password.$(basename -- "$device")
case "$*" in
  -V) echo 'hdparm v9.65' ;;
  '-I '*)
    enabled=$(test -e "$state" || echo 'not')
    printf '\\n%s:\\n\\nATA device, with non-removable media\\nSecurity: \\n' "$device"
    printf '\\tMaster password revision code = 65534\\n\\t\\tsupported\\n\\t%s\\tenabled\\n' "$enabled"
    printf '\\tnot\\tlocked\\n\\t%s\\tfrozen\\n\\tnot\\texpired: security count\\n' "$(test -e "$bay/frozen" || echo 'not')"
    printf '\\t\\tsupported: enhanced erase\\n\\t2min for SECURITY ERASE UNIT. 4min for ENHANCED SECURITY ERASE UNIT.\\n'
    printf 'Logical Unit WWN Device Identifier: 5000c500000000aa\\nChecksum: correct\\n'
    ;;
  *--security-set-pass*) : >"$state" ;;
  *--security-erase*) test -e "$state" && erase hdparm "$*" && rm "$state" ;;
esac
`;

const sg = (name: string) => `${erase}
case "$*" in
  --version) echo 'version: 1.53 20211025' >&2 ;;
  *) erase ${name} "$*" ;;
esac
`;

const requests = `echo 'Progress indication: 42.10% done'\n`;

const nvme = `${erase}
case "$1" in
  version) echo 'nvme version 2.4 (git 2.4)' ;;
  format) erase nvme "$*" ;;
  sanitize)
    device=\${device}n1
    (erase nvme "$*"; : >"$bay/sanitized") >/dev/null 2>&1 </dev/null &
    ;;
  sanitize-log)
    progress=16384 status=0x2
    if [ -e "$bay/sanitized" ]; then progress=65535 status=0x101; fi
    printf 'Sanitize Progress                      (SPROG) :  %s\\n' "$progress"
    printf 'Sanitize Status                        (SSTAT) :  %s\\n' "$status"
    ;;
esac
`;

export function withFirmware(bay: Bay): void {
  bay.program('hdparm', hdparm);
  for (const name of ['sg_sanitize', 'sg_format']) bay.program(name, sg(name));
  bay.program('sg_requests', requests);
  bay.program('nvme', nvme);
}
