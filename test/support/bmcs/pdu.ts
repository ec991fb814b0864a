/** A PDU with two outlets, by the tables of APC's PowerNet-MIB, in an SNMP agent on a free port of this machine. */
import snmp from 'net-snmp';
import type { Scope } from '../ava/scope.ts';
import { freeUdpPort } from '../servers/free-udp-port.ts';

const OUTLETS = [1, 2];
/** `rPDUOutletControlEntry` and `rPDUOutletStatusEntry`; in both the fourth column counts. */
const CONTROL = '1.3.6.1.4.1.318.1.1.12.3.3.1.1';
const STATUS = '1.3.6.1.4.1.318.1.1.12.3.5.1.1';
const ON = 1;
const OFF = 2;
/** RFC 3416, 3. */
const NO_ACCESS = 6;

/** As the agent passes it to a handler. */
interface TableRequest {
  /** True in the second of the two calls for a change: the first one checks the value. */
  commitSet?: boolean;
  oid: string;
  setValue: number;
  done(error?: { errorStatus: number; type: number; value: null }): void;
}

/** Starts with both outlets off. */
export async function startPdu(t: Scope) {
  const [host, community, writeCommunity] = ['127.0.0.1', 'lab-reads', 'lab-writes'];
  const port = await freeUdpPort(host);
  const pdu = {
    /** Every accepted command, such as `on 1`. */
    ledger: [] as string[],
    /** Runs commands without an answer. */
    isMute: false,
    isReadOnly: false,
    config: { outlets: [{ host, port, outlet: 1 }], model: 'apc', community, writeCommunity, offSec: 0 } as const,
  };
  const agent = snmp.createAgent({ port, address: host, disableAuthorization: false }, () => {});
  t.teardown(() => agent.close());
  agent.getAuthorizer().addCommunity(community);
  agent.getAuthorizer().addCommunity(writeCommunity);
  const table = (name: string, oid: string, handler?: (request: TableRequest) => void) => {
    agent.registerProvider({
      name,
      type: snmp.MibProviderType.Table,
      oid,
      maxAccess: snmp.MaxAccess['not-accessible'],
      tableColumns: [
        { number: 1, name: 'index', type: snmp.ObjectType.Integer, maxAccess: snmp.MaxAccess['read-only'] },
        { number: 4, name: 'power', type: snmp.ObjectType.Integer, maxAccess: snmp.MaxAccess['read-write'] },
      ],
      tableIndex: [{ columnName: 'index' }],
      ...(handler !== undefined && { handler }),
    });
    for (const outlet of OUTLETS) agent.getMib().addTableRow(name, [outlet, OFF]);
  };
  table('status', STATUS);
  table('control', CONTROL, (request) => {
    const { commitSet = false, setValue, oid } = request;
    if (pdu.isReadOnly) return request.done({ errorStatus: NO_ACCESS, type: snmp.ObjectType.Null, value: null });
    if (!commitSet) return request.done();
    const outlet = Number(oid.split('.').at(-1));
    agent.getMib().setTableSingleCell('status', 4, [outlet], setValue);
    pdu.ledger.push(`${setValue === ON ? 'on' : 'off'} ${outlet}`);
    if (!pdu.isMute) request.done();
  });
  return pdu;
}
