/** An SNMP agent with a system name, on a free port of this machine. */
import snmp from 'net-snmp';
import type { Scope } from '../ava/scope.ts';
import { freeUdpPort } from './free-udp-port.ts';

/** `SNMPv2-MIB::sysName`. */
export const SYSTEM_NAME = '1.3.6.1.2.1.1.5';

/** `IF-MIB::ifSpeed`. */
export const INTERFACE_SPEED = '1.3.6.1.2.1.2.2.1.5';

/** An agent without objects, and the settings of an `snmp-ibm-service` that reaches it. */
async function openAgent(t: Scope) {
  const [host, community] = ['127.0.0.1', 'lab-secret'];
  const port = await freeUdpPort(host);
  const agent = snmp.createAgent({ port, address: host, disableAuthorization: false }, () => {});
  t.teardown(() => agent.close());
  agent.getAuthorizer().addCommunity(community);
  return { agent, settings: { host, port, community } };
}

/** Returns the settings of an `snmp-ibm-service` that reaches it. */
export async function startSnmpAgent(t: Scope): Promise<{ host: string; port: number; community: string }> {
  const { agent, settings } = await openAgent(t);
  agent.registerProvider({
    name: 'sysName',
    type: snmp.MibProviderType.Scalar,
    oid: SYSTEM_NAME,
    scalarType: snmp.ObjectType.OctetString,
    maxAccess: snmp.MaxAccess['read-only'],
  });
  agent.getMib().setScalarValue('sysName', 'rack switch 7');
  agent.registerProvider({
    name: 'ifSpeed',
    type: snmp.MibProviderType.Scalar,
    oid: INTERFACE_SPEED,
    scalarType: snmp.ObjectType.Gauge,
    maxAccess: snmp.MaxAccess['read-only'],
  });
  agent.getMib().setScalarValue('ifSpeed', 10_000_000);
  return settings;
}
