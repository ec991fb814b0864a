/** Conditions of RackHD's graphs that read or change machines by their BMCs. */
import type { BmcAccess, Condition, StockOptions } from './conditions.ts';

/** The BMC as a range of one address. */
const range = ({ url, user: userName, password }: BmcAccess): StockOptions => {
  const { hostname, port, protocol } = new URL(url);
  const one = { startIp: hostname, endIp: hostname, port: Number(port), protocol: protocol.slice(0, -1) };
  return { defaults: { ranges: [{ ...one, credentials: { userName, password } }] } };
};

export const redfishConditions: Readonly<Record<string, Condition>> = {
  'Graph.Bootstrap.Decommission.Node.Test': {
    reason: 'its job is a boot of the microkernel, and a command',
    job: /^boot: network agent$/,
    options: () => ({ 'shell-commands': { commands: [{ command: 'sudo ipmitool mc info' }] } }),
  },
  'Graph.Dell.Wsman.Configure.Redfish.Alert': { reason: 'for Dell nodes', model: 'dell-r650' },
  'Graph.Dell.Wsman.ConfigureBios': {
    reason: 'attributes are those of a vendor',
    model: 'dell-r650',
    options: () => ({ defaults: { attributes: [{ name: 'ProcVirtualization', value: 'Disabled' }] } }),
    job: /^bmc: bios$/,
  },
  'Graph.Dell.Wsman.Discovery': { reason: 'the address of a BMC', options: range },
  'Graph.Dell.Wsman.Simple.Update.Firmware': {
    reason: 'an image for the machine',
    options: () => ({ defaults: { imageURI: 'http://10.1.1.1/bios-2.1.0.bin' } }),
    job: /^update: /,
  },
  'Graph.Redfish.Actions.Reset': { reason: 'a machine that is off', before: 'Graph.PowerOff.Node', job: /^power: / },
  'Graph.Redfish.Ip.Range.Discovery': { reason: 'the address of a BMC', options: range },
  'Graph.Run.Emc.Diag': {
    reason: 'the network of the machine, and a diagnosis that reports its start; its job is that boot',
    options: () => ({ 'bootstrap-emc-diag': { gateway: '10.1.1.1', netmask: '255.255.255.0' } }),
    meanwhile: 'notifications once booted',
    job: /^boot: network/,
  },
};
