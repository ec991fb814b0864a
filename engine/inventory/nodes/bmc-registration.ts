/**
 * The nodes of BMCs that a discovery out of band has read (`tasks/redfish-discover.ts`).
 *
 * 1. A BMC belongs to the node with an obm at its address; else to the node that PXE identifies by the machine's MACs
 *    (`registration.ts`); else, if the caller has access to it for a new node, to one that is created with its MACs and the obm. A later boot by
 *    PXE thus finds the same node.
 * 2. Nodes are created one at a time across all processes, and looked for before: two requests for one BMC create one.
 * 3. A BMC never gets the node of another one: if its MACs are those of another node than that at its address, or of one
 *    with another BMC, nothing is changed.
 * 4. Every step is harmless to repeat. If the process dies after the node was written, the next attempt finds it by its MACs, and
 *    puts the obm that is missing.
 */

import type { BmcNode, ReadBmc } from '../../define/bmc-node.ts';
import type { ObmService } from '../../define/node.ts';
import type { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { BmcOwners } from './bmc-nodes.ts';
import type { NodeRequests } from './node-requests.ts';
import type { ObmRequests } from './obm-requests.ts';
import type { Registration } from './registration.ts';

const REDFISH: ObmService = 'redfish-obm-service';

interface Parts {
  nodes: Pick<NodeRequests, 'create' | 'identify'>;
  obms: Pick<ObmRequests, 'put' | 'services' | 'hosts'>;
  owners: Pick<BmcOwners, 'at'>;
  registration: Pick<Registration, 'identify'>;
  changes: SerializedChanges;
}

export class BmcRegistration {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the ids of the nodes with an obm at a host. */
  async nodesAt(host: string): Promise<string[]> {
    return ((await this.#parts.owners.at([host])).get(host) ?? []).map(({ id }) => id);
  }

  /** @throws NodewrightError NOT_FOUND, CONFLICT, UNAVAILABLE */
  async register(bmc: ReadBmc): Promise<BmcNode> {
    const node = await this.#nodeOf(bmc);
    const bmcNode = node === undefined ? await this.#createNode(bmc) : { id: node, isNew: false };
    const { id } = bmcNode;
    await this.#parts.nodes.identify(id, bmc.macs);
    if (bmc.access !== undefined && !(await this.#parts.obms.services(id)).includes(REDFISH))
      await this.#parts.obms.put(id, { service: REDFISH, config: bmc.access });
    return bmcNode;
  }

  async #nodeOf({ host, macs }: ReadBmc): Promise<string | undefined> {
    const atHost = await this.nodesAt(host);
    const byMac = macs.length === 0 ? undefined : await this.#parts.registration.identify({ macs, ips: [], from: '' });
    const [only, other] = atHost;
    if (byMac === undefined) {
      if (other === undefined) return only;
      throw conflict(`${host} is the BMC of ${atHost.length} nodes, and none of them has one of its MACs`);
    }
    if (atHost.includes(byMac)) return byMac;
    if (only !== undefined) throw conflict(`${host} is the BMC of the node ${only}, and has MACs of the node ${byMac}`);
    const hosts = await this.#parts.obms.hosts(byMac);
    if (hosts.length === 0) return byMac;
    throw conflict(`${host} has MACs of the node ${byMac}, whose BMC is ${hosts.join(', ')}`);
  }

  async #createNode(bmc: ReadBmc): Promise<BmcNode> {
    const { host, macs, access } = bmc;
    const [name] = macs;
    if (access === undefined) throw new NodewrightError('NOT_FOUND', `no node has an obm at ${host}`);
    if (name === undefined)
      throw conflict(`${host} names no MAC of its machine, by which a boot could find the node; create the node`);
    return this.#parts.changes.run(async (lease) => {
      const other = await this.#nodeOf(bmc);
      if (other !== undefined) return { id: other, isNew: false };
      await this.#parts.changes.renew(lease);
      const obms = [{ service: REDFISH, config: access }];
      const { id } = await this.#parts.nodes.create({ type: 'compute', name, identifiers: [...macs], obms });
      return { id, isNew: true };
    });
  }
}

const conflict = (problem: string) => new NodewrightError('CONFLICT', `${problem}; nothing was changed`);
