/** Conditions of RackHD's graphs that read or change machines by their BMCs. */
import type { BmcAccess, Condition, StockOptions } from './conditions.ts';

/** The BMC as a range of one address. */
const range = ({ url, user: userName, password }: BmcAccess): StockOptions => {
  const { hostname, port, protocol } = new URL(url);
  const one = { startIp: hostname, endIp: hostname, port: Number(port), protocol: protocol.slice(0, -1) };
  return { defaults: { ranges: [{ ...one, credentials: { userName, password } }] } };
};

export const redfishConditions: Readonly<Record<string, Condition>> = {
  'Graph.Dell.Wsman.Discovery': { reason: 'the address of a BMC', options: range },
  'Graph.Redfish.Actions.Reset': { reason: 'a machine that is off', before: 'Graph.PowerOff.Node', job: /^power: / },
  'Graph.Redfish.Ip.Range.Discovery': { reason: 'the address of a BMC', options: range },
};
