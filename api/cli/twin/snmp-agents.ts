/**
 * The SNMP agents of switches and PDUs, by version 2c: each on an address of its own, at the port of the BMCs. One without power is
 * silent.
 */
import { createSocket, type Socket, type SocketType } from 'node:dgram';
import { once } from 'node:events';
import type Snmp from 'net-snmp';
import type { AgentPlace } from '../../../engine/hardware/twin/snmp/agent-places.ts';
import type { AgentTable, AgentTables, TableValue } from '../../../engine/hardware/twin/snmp/agent-tables.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';

/** Communities: one reads, the other one writes too. */
export const READS = 'public';
export const WRITES = 'private';

/** As the agent passes it to a handler. */
interface ValueRequest {
  /** True in the second of the two calls for a write: the first one checks the value. */
  commitSet?: boolean;
  oid: string;
  setValue?: number;
  done(error?: { errorStatus: number; type: number; value: null }): void;
}

/** RFC 3416, 3. */
const [WRONG_VALUE, COMMIT_FAILED] = [10, 14];

export class SnmpAgents {
  readonly #port: number;
  readonly #tell: (text: string) => void;
  readonly #agents: { close(): void }[] = [];

  /** @param port of all of them @param tell gets the failures of writes */
  constructor(port: number, tell: (text: string) => void) {
    this.#port = port;
    this.#tell = tell;
  }

  /** @throws Error if an address is in use */
  async open(places: readonly AgentPlace[]): Promise<void> {
    for (const place of places) await this.#open(place);
  }

  async #open({ address, tables, isThere }: AgentPlace): Promise<void> {
    const { default: snmp } = await import('net-snmp');
    const sockets: Socket[] = [];
    let refresh = () => {};
    const dgramModule = {
      createSocket: (type: SocketType) => {
        const socket = createSocket(type);
        sockets.push(socket);
        const { emit } = socket;
        socket.emit = (name: string, ...values: unknown[]) => {
          if (name === 'message' && !isThere()) return true;
          if (name === 'message') refresh();
          return Reflect.apply(emit, socket, [name, ...values]);
        };
        return socket;
      },
    };
    const options = {
      port: this.#port,
      address,
      dgramModule,
      accessControlModelType: snmp.AccessControlModelType.Simple,
    };
    const agent = snmp.createAgent(options, () => {}); // of a packet that is none of SNMP
    this.#agents.push(agent);
    const authorizer = agent.getAuthorizer();
    for (const community of [READS, WRITES]) authorizer.addCommunity(community);
    const access = authorizer.getAccessControlModel();
    access.setCommunityAccess(READS, snmp.AccessLevel.ReadOnly);
    access.setCommunityAccess(WRITES, snmp.AccessLevel.ReadWrite);
    this.#fill(agent, tables, snmp);
    refresh = () => {
      for (const { table, column, index, value } of tables.changing())
        agent.getMib().setTableSingleCell(table, column, index, value);
    };
    const [socket] = sockets;
    if (socket === undefined) throw new Error('the SNMP agent has no socket');
    await once(socket, 'listening');
  }

  #fill(agent: ReturnType<typeof Snmp.createAgent>, { system, tables }: AgentTables, snmp: typeof Snmp): void {
    const { OctetString, OID } = snmp.ObjectType;
    const scalars = [
      ['1.3.6.1.2.1.1.1', OctetString, system.description],
      ['1.3.6.1.2.1.1.2', OID, system.objectId],
      ['1.3.6.1.2.1.1.5', OctetString, system.name],
      ['1.3.6.1.2.1.1.6', OctetString, system.location],
    ] as const;
    for (const [oid, scalarType, value] of scalars) {
      const maxAccess = snmp.MaxAccess['read-only'];
      agent.registerProvider({ name: oid, type: snmp.MibProviderType.Scalar, oid, scalarType, maxAccess });
      agent.getMib().setScalarValue(oid, value);
    }
    for (const table of tables) {
      agent.registerProvider(this.#providerOf(table, snmp));
      for (const row of table.rows) agent.getMib().addTableRow(table.oid, [...row]);
    }
  }

  #providerOf(table: AgentTable, snmp: typeof Snmp) {
    const { oid, indexes, columns, rows, writable } = table;
    const tableColumns = columns.map((number, at) => ({
      number,
      name: `c${number}`,
      type: typeOf(rows[0]?.[at], snmp),
      maxAccess: snmp.MaxAccess[number === writable?.column ? 'read-write' : 'read-only'],
    }));
    return {
      name: oid,
      type: snmp.MibProviderType.Table,
      oid,
      maxAccess: snmp.MaxAccess['not-accessible'],
      tableColumns,
      tableIndex: tableColumns.slice(0, indexes).map(({ name }) => ({ columnName: name })),
      ...(writable && { handler: (request: ValueRequest) => void this.#write(request, writable, snmp) }),
    };
  }

  /** Called for reads too, which have no value. */
  async #write(request: ValueRequest, writable: AgentTable['writable'] & object, snmp: typeof Snmp): Promise<void> {
    const { commitSet = false, setValue, oid } = request;
    const fail = (errorStatus: number) => request.done({ errorStatus, type: snmp.ObjectType.Null, value: null });
    if (setValue === undefined) return request.done();
    if (!writable.accepts(setValue)) return fail(WRONG_VALUE);
    if (!commitSet) return request.done();
    try {
      await writable.write(Number(oid.split('.').at(-1)), setValue);
      request.done();
    } catch (error) {
      this.#tell(messageOf(error));
      fail(COMMIT_FAILED);
    }
  }

  close(): void {
    for (const agent of this.#agents.splice(0)) agent.close();
  }
}

const typeOf = (value: TableValue | undefined, { ObjectType }: typeof Snmp) =>
  typeof value === 'number' ? ObjectType.Integer : ObjectType.OctetString;
