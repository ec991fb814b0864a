/**
 * Machines that show up by themselves, by their MACs.
 *
 * 1. A lookup is unique, and names the node before that is made. So of many that ask for a machine at once one gives it
 *    its id, and any of them may make the node of that id: the first write counts.
 * 2. The node says from its first write on that it is to be discovered (`discovery.ts`).
 */
import { randomUUID } from 'node:crypto';
import type { LookupRecord } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import { namesOf } from '../define/mac.ts';
import { type Collection, DuplicateError } from '../store/port.ts';
import { noteOf } from './node-events.ts';
import type { StoredNode } from './nodes.ts';
import type { Teller } from './teller.ts';
import type { Telling } from './telling.ts';

export interface ArrivalsPort {
  stored: Collection<StoredNode>;
  lookups: Collection<LookupRecord>;
  telling: Telling<StoredNode>;
  teller: Teller;
}

/** Tries for one lookup that others change or remove all the while. */
const TRIES = 20;

const now = (): string => new Date().toISOString();

export class Arrivals {
  readonly #port: ArrivalsPort;

  constructor(port: ArrivalsPort) {
    this.#port = port;
  }

  /** @param macs at least one, in their one form. @returns the id of the node, which is there */
  async node(macs: readonly string[], ips: readonly string[]): Promise<string> {
    const ipOf = new Map(macs.map((mac, at) => [mac, ips[at] || null]));
    // In one order for all: who asks for the same machine meets at its first MAC.
    const order = [...ipOf.keys()].sort();
    const known = await this.#port.lookups.find({ macAddress: { $in: order } }, { sort: { macAddress: 1 } });
    const node =
      known.find((lookup) => lookup.node !== null)?.node ??
      (await this.#identified(order)) ??
      (await this.#named(order[0] as string));
    await this.#made(node, order);
    for (const mac of order) await this.#bound(mac, ipOf.get(mac) ?? null, node, known);
    return node;
  }

  /** A user may have made the node, with a MAC for a name. */
  async #identified(macs: readonly string[]): Promise<string | undefined> {
    const named = { identifiers: { $in: macs.flatMap(namesOf) } };
    return (await this.#port.stored.find(named, { limit: 1, sort: { createdAt: 1 } }))[0]?.id;
  }

  /** @returns the node that the MAC belongs to from now on, whoever said so */
  async #named(macAddress: string): Promise<string> {
    const { lookups } = this.#port;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [known] = await lookups.find({ macAddress }, { limit: 1 });
      if (known !== undefined && known.node !== null) return known.node;
      const node = randomUUID();
      const change = { $set: { node, updatedAt: now() } };
      if (known === undefined) {
        if (await this.#inserted(macAddress, null, node)) return node;
      } else if ((await lookups.update({ id: known.id, node: null }, change)) !== undefined) return node;
    }
    throw new NodewrightError('CONFLICT', `the lookup of ${macAddress} changes without end; ask again`);
  }

  async #inserted(macAddress: string, ipAddress: string | null, node: string): Promise<boolean> {
    const times = { createdAt: now(), updatedAt: now() };
    try {
      await this.#port.lookups.insert({ id: randomUUID(), node, macAddress, ipAddress, ...times });
      return true;
    } catch (error) {
      if (error instanceof DuplicateError) return false;
      throw error;
    }
  }

  async #made(id: string, macs: readonly string[]): Promise<void> {
    const { stored, telling, teller } = this.#port;
    if ((await stored.get(id)) !== undefined) return;
    const times = { createdAt: now(), updatedAt: now() };
    const node: StoredNode = {
      ...{ id, type: 'compute', name: macs[0] as string, identifiers: [], tags: [], sku: null, ...times },
      ...{ autoDiscover: true, toDiscover: true, catalogs: [], workflows: [] },
    };
    const added = await telling.insert(node, [noteOf('added', id)]);
    if (added !== undefined) await teller.tell([added], [node]);
  }

  /** A MAC that another node has stays with that one. */
  async #bound(mac: string, ip: string | null, node: string, known: readonly LookupRecord[]): Promise<void> {
    const lookup = known.find(({ macAddress }) => macAddress === mac);
    if (lookup === undefined && (await this.#inserted(mac, ip, node))) return;
    const filter = { macAddress: mac, node: { $in: [node, null] } };
    if (lookup?.node === node && (ip === null || lookup.ipAddress === ip)) return;
    const ipAddress = ip === null ? {} : { ipAddress: ip };
    await this.#port.lookups.update(filter, { $set: { node, ...ipAddress, updatedAt: now() } });
  }
}
