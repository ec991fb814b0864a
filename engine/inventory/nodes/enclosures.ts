/**
 * Enclosures: the chassis that encloses a node, as a node of its own, which is found or created by its serial number.
 *
 * 1. There is one enclosure for a serial number, by its name, which is RackHD's: enclosures are created one at a time across all
 *    processes.
 * 2. A node has one enclosure: a relation to another one is replaced.
 * 3. Every step is harmless to repeat: a process that dies between two of them leaves the next one to the retry.
 */

import type { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { NodeRequests } from './node-requests.ts';
import type { StoredNode } from './stored-node.ts';

const TYPE = 'enclosure';

export class Enclosures {
  readonly #stored: Pick<Collection<StoredNode>, 'find'>;
  readonly #nodes: Pick<NodeRequests, 'find' | 'create' | 'relate' | 'unrelate'>;
  readonly #changes: SerializedChanges;

  constructor(
    stored: Pick<Collection<StoredNode>, 'find'>,
    nodes: Pick<NodeRequests, 'find' | 'create' | 'relate' | 'unrelate'>,
    changes: SerializedChanges,
  ) {
    this.#stored = stored;
    this.#nodes = nodes;
    this.#changes = changes;
  }

  /** @returns the id of the enclosure @throws NodewrightError NOT_FOUND, UNAVAILABLE */
  async enclose(id: string, serial: string): Promise<string> {
    const node = await this.#nodes.find(id);
    if (node === undefined) throw new NodewrightError('NOT_FOUND', `Could not find node with identifier ${id}`);
    const name = `Enclosure Node ${serial}`;
    const enclosure = (await this.#enclosureCalled(name)) ?? (await this.#createEnclosure(name));
    const { targets = [] } = node.relations.find(({ relationType }) => relationType === 'enclosedBy') ?? {};
    const others = targets.filter((target) => target !== enclosure);
    if (others.length > 0) await this.#nodes.unrelate(id, { enclosedBy: others });
    if (!targets.includes(enclosure)) await this.#nodes.relate(id, { enclosedBy: [enclosure] });
    return enclosure;
  }

  async #enclosureCalled(name: string): Promise<string | undefined> {
    const [oldest] = await this.#stored.find({ name, type: TYPE }, { sort: { createdAt: 1 }, limit: 1 });
    return oldest?.id;
  }

  #createEnclosure(name: string): Promise<string> {
    return this.#changes.run(async (lease) => {
      const other = await this.#enclosureCalled(name);
      if (other !== undefined) return other;
      await this.#changes.renew(lease);
      return (await this.#nodes.create({ type: TYPE, name })).id;
    });
  }
}
