/**
 * Catalog `version`: vendor, model, serial number, MAC and software version of a switch, by the commands of EOS, ONIE, FTOS, SONiC or
 * Cumulus Linux.
 *
 * Output: `{ results }`, one result.
 */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.Switch',
  friendlyName: 'Catalog a switch',
  source: 'version',
  format: 'json',
  command: `
has() { command -v "$1" >/dev/null 2>&1; }
print_switch() {
  printf '{"vendor":"%s","modelName":"%s","serialNumber":"%s","systemMacAddress":"%s","version":"%s"}\\n' "$@"
}
# The value of a line "Name  0x23  20  value" of the EEPROM, or of a line "Name : value".
eeprom() { decode-syseeprom 2>/dev/null | sed -n "s/^$1 *0x[0-9A-Fa-f]* *[0-9]* *//p" | tr -d '"\\134' | head -n 1; }
shown() { f10do 'show system' | sed -n "s/^ *$1 *: *//p" | tr -d '"\\134\\r' | head -n 1; }
release() { sed -n "s/^$1[=:] *//p" "$2" | tr -d "\\"'\\134" | head -n 1; }
if has FastCli; then
  FastCli -p 15 -c 'show version | json'
elif has onie-sysinfo; then
  print_switch onie "$(onie-sysinfo -p)" "$(onie-sysinfo -s)" "$(onie-sysinfo -e)" "$(onie-sysinfo -v)"
elif has f10do; then
  print_switch dell "$(shown 'Module Type')" "$(shown 'Serial Number')" "$(shown 'Stack MAC')" "$(shown 'Dell EMC Networking OS Version')"
elif has decode-syseeprom && [ -e /etc/sonic/sonic_version.yml ]; then
  print_switch sonic "$(eeprom 'Product Name')" "$(eeprom 'Serial Number')" "$(eeprom 'Base MAC Address')" \\
    "$(release build_version /etc/sonic/sonic_version.yml)"
elif has decode-syseeprom; then
  print_switch cumulus "$(eeprom 'Product Name')" "$(eeprom 'Serial Number')" "$(eeprom 'Base MAC Address')" \\
    "$(release VERSION_ID /etc/os-release)"
else
  echo 'found no command of EOS, ONIE, FTOS, SONiC or Cumulus Linux' >&2
  exit 1
fi`,
});
