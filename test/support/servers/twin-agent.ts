/** The SNMP agent of a switch or a PDU of a twin, on a free port of this machine. */
import { READS, SnmpAgents, WRITES } from '../../../api/cli/twin/snmp-agents.ts';
import type { AgentTables } from '../../../engine/hardware/twin/snmp/agent-tables.ts';
import type { Scope } from '../ava/scope.ts';
import { freeUdpPort } from './free-udp-port.ts';

/** @returns the settings of an `snmp-ibm-service` that reaches it */
export async function startAgent(t: Scope, tables: AgentTables, isThere = () => true) {
  const host = '127.0.0.1';
  const port = await freeUdpPort(host);
  const agents = new SnmpAgents(port, console.error);
  t.teardown(() => agents.close());
  await agents.open([{ address: host, tables, isThere }]);
  return { host, port, community: READS };
}

/** With the community that may write. */
export const writing = (agent: Awaited<ReturnType<typeof startAgent>>) => ({ ...agent, community: WRITES });
