/**
 * Registers machines that the daemon has discovered: puts the obm of each, and with `--racks` their racks, PDUs and relations.
 * Each request changes nothing when it is repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Machine } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { Client } from '../client.ts';
import { READS } from './snmp-agents.ts';

const AT_A_TIME = 4;
const REGISTER_AGAIN_MS = 5_000;

/** The tag of what the twin with this seed has created. */
export const ownTag = (seed: number): string => `twin-${seed}`;

interface Registration extends BmcPorts {
  seed: number;
  /** Whether racks and PDUs are nodes too. */
  racks: boolean;
  tell(text: string): void;
}

export class Registrar {
  readonly #client: Client;
  readonly #registration: Registration;
  readonly #limit = pLimit(AT_A_TIME);
  readonly #stop = new AbortController();
  readonly #parents = new Map<string, Promise<string>>();
  readonly #registering = new Set<Machine>();
  #lastProblem = '';

  constructor(client: Client, registration: Registration) {
    this.#client = client;
    this.#registration = registration;
  }

  /** Unless its obm leads here already. Retries until the daemon has taken it; ends with `close`. */
  register(machine: Machine): void {
    const isKnown = machine.state.obmUri === bmcUrl(machine, this.#registration);
    if (isKnown || this.#registering.has(machine)) return;
    this.#registering.add(machine);
    void this.#limit(() => this.#untilTaken(machine)).finally(() => this.#registering.delete(machine));
  }

  async close(): Promise<void> {
    this.#limit.clearQueue();
    this.#stop.abort(new Error('the twin ends'));
  }

  async #untilTaken(machine: Machine): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const isTaken = await this.#put(machine).then(
        () => true,
        (error: unknown) => this.#problem(messageOf(error)),
      );
      if (isTaken) return;
      await sleep(REGISTER_AGAIN_MS, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // it ends
    }
  }

  async #put(machine: Machine): Promise<void> {
    const node = machine.state.node ?? (await this.#nodeOf(machine));
    machine.state.node = node;
    const params = { identifier: node };
    await this.#client.put('/nodes/:identifier/obm', { params, body: obmOf(machine, this.#registration) });
    const { seed, racks } = this.#registration;
    await this.#client.patch('/nodes/:identifier', { params, body: { name: machine.name } });
    await this.#client.patch('/nodes/:identifier/tags', { params, body: { tags: [ownTag(seed)] } });
    const { rack, pdu, pduAddress, bmcAddress, model } = machine.facts;
    if (model.switch !== undefined) await this.#putAgent(node, bmcAddress);
    if (racks) {
      const [enclosedBy, poweredBy] = await Promise.all([
        this.#parent('rack', rack),
        this.#parent('pdu', pdu, pduAddress),
      ]);
      await this.#client.put('/nodes/:identifier/relations', {
        params,
        body: { enclosedBy: [enclosedBy], poweredBy: [poweredBy] },
      });
    }
    machine.state.obmUri = bmcUrl(machine, this.#registration);
    await machine.save();
  }

  /** The one with its first MAC. */
  async #nodeOf({ facts: { macs } }: Machine): Promise<string> {
    const { body } = await this.#client.get('/nodes', { query: { identifiers: macs[0] } });
    const [node] = body;
    if (node === undefined) throw new Error(`the daemon has no node with the MAC ${macs[0]}`);
    return node.id;
  }

  /** How its SNMP agent is asked. */
  async #putAgent(nodeId: string, host: string): Promise<void> {
    const config = { host, port: this.#registration.bmcPort, community: READS };
    await this.#client.put('/ibms', { body: { nodeId, service: 'snmp-ibm-service', config } });
  }

  /** @param agent the address of its SNMP agent */
  #parent(type: 'rack' | 'pdu', name: string, agent?: string): Promise<string> {
    const pendingId = this.#parents.get(name) ?? this.#findOrCreate(type, name, agent);
    this.#parents.set(name, pendingId);
    pendingId.catch(() => this.#parents.delete(name));
    return pendingId;
  }

  async #findOrCreate(type: 'rack' | 'pdu', name: string, agent: string | undefined): Promise<string> {
    const identifier = `${ownTag(this.#registration.seed)}-${name}`;
    const { body } = await this.#client.get('/nodes', { query: { identifiers: identifier } });
    const id = body[0]?.id ?? (await this.#create(type, name, identifier));
    if (agent !== undefined) await this.#putAgent(id, agent);
    return id;
  }

  async #create(type: 'rack' | 'pdu', name: string, identifier: string): Promise<string> {
    const tags = [ownTag(this.#registration.seed)];
    const created = await this.#client.post('/nodes', { body: { type, name, identifiers: [identifier], tags } });
    const [node] = [created.body].flat();
    if (node === undefined) throw new Error(`the daemon created no node ${name}`);
    return node.id;
  }

  /** The same problem of many machines is one line. */
  #problem(text: string): false {
    if (text !== this.#lastProblem)
      this.#registration.tell(`a machine could not be registered, and is tried again: ${text}`);
    this.#lastProblem = text;
    return false;
  }
}

export interface BmcPorts {
  bmcPort: number;
  ipmiPort: number;
}

export function bmcUrl({ facts }: Machine, { bmcPort, ipmiPort }: BmcPorts): string {
  if (facts.isIpmi) return `ipmi://${facts.bmcAddress}:${ipmiPort}`;
  return `${facts.model.bmc.https ? 'https' : 'http'}://${facts.bmcAddress}:${bmcPort}`;
}

/** The twin's certificate is its own, so it is not verified. */
function obmOf(machine: Machine, ports: BmcPorts) {
  const [account] = machine.state.bmc.accounts;
  const { user, password } = account ?? { user: '', password: '' };
  if (machine.facts.isIpmi) {
    return {
      service: 'ipmi-obm-service' as const,
      config: { host: machine.facts.bmcAddress, port: ports.ipmiPort, user, password },
    };
  }
  const config = { uri: bmcUrl(machine, ports), username: user, password, verifySSL: false };
  return { service: 'redfish-obm-service' as const, config };
}
