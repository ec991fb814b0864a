/**
 * Lookups: map a MAC or an IP to a node. MACs are stored in one form (`vocabulary/mac.ts`), each once.
 *
 * 1. Each lookup has a source. Those that users entered are `operator`; those from requests for profiles are
 *    `observed`. Requests for profiles never change a user's lookup: their data is stored beside it (field `observed`).
 * 2. Obms, alerts and the check of senders use the addresses of `operator` lookups only.
 * 3. A user confirms an observed lookup by changing or entering it.
 * 4. A user may name a node that does not exist yet: `awaited` has the name, and the lookup has no node. It finds a node
 *    that has the name as an identifier later.
 */
import { randomUUID } from 'node:crypto';
import type { LookupRecord, LookupSource, Lookups, NewLookup, Page, PagedList } from '../../api-port/index.ts';
import { groups, pages, readerBy } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError, type Filter } from '../../platform/store/port.ts';
import { invalidInput } from '../../vocabulary/errors.ts';
import { macOf } from '../../vocabulary/mac.ts';
import { type ExistingNodes, removeFromMissing } from './dependents.ts';

export const lookupSpec: CollectionSpec = {
  name: 'lookups',
  indexes: {
    macAddress: 'text',
    ipAddress: 'text',
    node: 'text',
    createdAt: 'text',
    updatedAt: 'text',
    source: 'text',
    'observed.from': 'text',
    'observed.node': 'text',
  },
  unique: ['macAddress'],
};

/** Returns the record or change with its MAC in the stored form. */
const withMac = ({ macAddress, ...input }: Partial<NewLookup>) =>
  macAddress === undefined ? input : { ...input, macAddress: macOf(macAddress) ?? macAddress };

/** `beside`: only seen next to another MAC, by which the node was identified (`registration.ts`). */
export interface StoredLookup extends LookupRecord {
  beside?: true;
}

export class LookupRequests implements Lookups {
  readonly #stored: Collection<LookupRecord>;
  readonly #existingNodes: ExistingNodes;
  /** Returns users' lookups of an IP, the last changed first. */
  readonly enteredAt: (address: string) => Promise<LookupRecord[]>;

  constructor(stored: Collection<LookupRecord>, existingNodes: ExistingNodes) {
    this.#stored = stored;
    this.enteredAt = readerBy(stored, 'ipAddress', { source: 'operator' }, { sort: { updatedAt: -1 } });
    this.#existingNodes = existingNodes;
  }

  async list({ filter, ...page }: Page, term?: string): Promise<PagedList<LookupRecord>> {
    const all = term === undefined ? filter : { $and: [filter, has(term, 'node')] };
    const items = await this.#stored.find(all, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items, total: await this.#stored.count(all) };
  }

  get(id: string): Promise<LookupRecord | undefined> {
    return this.#stored.get(id);
  }

  /**
   * Returns the id of the node that a MAC or an IP belongs to, or the identifier by which a user named it. For an IP, users' lookups take
   * precedence (the last changed first), then senders of requests, then the IPs that requests named; an
   * IP with several such nodes belongs to none.
   */
  async nodeOf(address: string): Promise<string | undefined> {
    const mac = macOf(address);
    if (mac !== undefined) {
      const [lookup] = await this.#stored.find({ macAddress: mac }, { limit: 1 });
      if (lookup !== undefined) return nodeIn(lookup) ?? lookup.awaited;
    }
    const entered = (await this.enteredAt(address)).map(({ node, awaited }) => node ?? awaited).find((node) => node);
    if (entered) return entered;
    const senders = await this.seenAt(address);
    return senders.size === 0 ? only(await this.#nodesIn({ ipAddress: address })) : only(senders);
  }

  async #nodesIn(filter: Filter): Promise<Set<string>> {
    const lookups = await this.#stored.find(filter, { limit: SEEN });
    return new Set(lookups.flatMap((lookup) => nodeIn(lookup) ?? []));
  }

  /** Returns the nodes that were identified as the sender of requests from an address. */
  seenAt(address: string): Promise<Set<string>> {
    return this.#nodesIn({ 'observed.from': address });
  }

  /** Returns users' lookups of some IPs, the last changed first. */
  at(ips: readonly string[]): Promise<LookupRecord[]> {
    return this.#stored.find({ ipAddress: { $in: [...ips] }, source: 'operator' }, { sort: { updatedAt: -1 } });
  }

  /** Returns the IPs that users entered for some MACs. */
  async enteredMacs(macs: readonly string[]): Promise<string[]> {
    const lookups = await this.#stored.find({ macAddress: { $in: [...macs] }, source: 'operator' });
    return lookups.flatMap(({ ipAddress }) => ipAddress ?? []);
  }

  /** Returns the IP that a user entered for a MAC. */
  async addressOf(mac: string): Promise<string | undefined> {
    return (await this.enteredMacs([macOf(mac) ?? mac]))[0];
  }

  async create(input: NewLookup): Promise<LookupRecord> {
    const now = new Date().toISOString();
    const { macAddress } = input;
    const named = { node: null, ...(await this.#nodeFields(input)) };
    const entered = { ipAddress: null, macAddress, ...withMac(input), ...named, source: 'operator' as const };
    const times = { createdAt: now, updatedAt: now };
    let lookup = await this.#confirm(entered);
    if (lookup === undefined) {
      lookup = { id: randomUUID(), ...entered, ...times };
      await rejecting(macAddress, this.#stored.insert(lookup));
    }
    await this.#forgetIfMissing(lookup.node);
    return lookup;
  }

  /** Turns an observed lookup of the MAC into the user's; undefined when there is none. */
  #confirm({ macAddress, ...entered }: Required<NewLookup> & { source: LookupSource }) {
    const $set = { ...entered, updatedAt: new Date().toISOString() };
    return this.#stored.update({ macAddress, source: 'observed' }, { $set, $unset: { beside: '' } });
  }

  /** A node that does not exist is awaited. Of a change without a node: nothing. */
  async #nodeFields({ node }: Partial<NewLookup>): Promise<Partial<Pick<LookupRecord, 'node' | 'awaited'>>> {
    if (node === undefined || node === null) return node === null ? { node } : {};
    return (await this.#existingNodes([node])).has(node) ? { node } : { node: null, awaited: node };
  }

  async update(id: string, change: Partial<NewLookup>): Promise<LookupRecord | undefined> {
    const named = await this.#nodeFields(change);
    const $set = { ...withMac(change), ...named, source: 'operator', updatedAt: new Date().toISOString() };
    // The observation was made of the previous MAC.
    const observed = change.macAddress !== undefined && { observed: '' };
    const $unset = { beside: '', ...observed, ...(change.node !== undefined && !named.awaited && { awaited: '' }) };
    const lookup = await rejecting(change.macAddress, this.#stored.update({ id }, { $set, $unset }));
    if (lookup !== undefined) await this.#forgetIfMissing(named.node ?? null);
    return lookup;
  }

  async #forgetIfMissing(node: string | null): Promise<void> {
    if (node !== null) await removeFromMissing(this.#existingNodes, [node], () => this.forget(node));
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#stored.remove({ id })) > 0;
  }

  async forget(node: string): Promise<void> {
    await this.#stored.remove({ node });
    const sightingFilter = { 'observed.node': node };
    const update = { $unset: { observed: '' } };
    for await (const group of groups(pages(this.#stored, sightingFilter), SEEN)) {
      await this.#stored.updateEach(group.map(({ id }) => ({ id, filter: sightingFilter, update })));
    }
  }
}

/** Limit of lookups read to find the nodes of an address; a machine has fewer MACs. */
const SEEN = 200;

const nodeIn = ({ node, observed }: LookupRecord): string | undefined => node ?? observed?.node;

const only = (nodes: ReadonlySet<string>): string | undefined => (nodes.size === 1 ? [...nodes][0] : undefined);

function has(term: string, ...more: string[]): Record<string, unknown> {
  const fields = {
    macAddress: macOf(term) ?? term,
    ipAddress: term,
    ...Object.fromEntries(more.map((f) => [f, term])),
  };
  return { $or: Object.entries(fields).map(([field, value]) => ({ [field]: value })) };
}

async function rejecting<T>(macAddress: string | undefined, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw invalidInput('macAddress', `${macAddress} already has a lookup; change that lookup instead`);
  }
}
