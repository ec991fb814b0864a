/** Lookups: which node a MAC or an IP belongs to. MACs are kept in one form (`define/mac.ts`), each once. */
import { randomUUID } from 'node:crypto';
import type { LookupRecord, Lookups, NewLookup, Page, Paged } from '../api-port/index.ts';
import { invalid } from '../define/errors.ts';
import { macOf } from '../define/mac.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../store/port.ts';
import { hung, type Known } from './hanging.ts';

export const lookupSpec: CollectionSpec = {
  name: 'lookups',
  indexes: { macAddress: 'text', ipAddress: 'text', node: 'text', createdAt: 'text', updatedAt: 'text' },
  unique: ['macAddress'],
};

/** A record or a change with its MAC as it is kept. */
const spelled = ({ macAddress, ...input }: Partial<NewLookup>) =>
  macAddress === undefined ? input : { ...input, macAddress: macOf(macAddress) ?? macAddress };

export class LookupRequests implements Lookups {
  readonly #stored: Collection<LookupRecord>;
  readonly #known: Known;

  constructor(stored: Collection<LookupRecord>, known: Known) {
    this.#stored = stored;
    this.#known = known;
  }

  async list({ filter, ...page }: Page, term?: string): Promise<Paged<LookupRecord>> {
    const all = term === undefined ? filter : { $and: [filter, has(term, 'node')] };
    const items = await this.#stored.find(all, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items, total: await this.#stored.count(all) };
  }

  get(id: string): Promise<LookupRecord | undefined> {
    return this.#stored.get(id);
  }

  /** The id of the node that a MAC or an IP belongs to; of several with one IP, the one that was changed last. */
  async nodeOf(address: string): Promise<string | undefined> {
    const known = { $and: [has(address), { node: { $exists: true } }] };
    const found = await this.#stored.find(known, { sort: { updatedAt: -1 }, limit: 10 });
    return found.find(({ node }) => node !== null)?.node ?? undefined;
  }

  /** Those of some IPs; of several with one, that which was changed last comes first. */
  at(ips: readonly string[]): Promise<LookupRecord[]> {
    const known = { ipAddress: { $in: [...ips] }, node: { $exists: true } };
    return this.#stored.find(known, { sort: { updatedAt: -1 } });
  }

  /** The IP that a MAC has. */
  async addressOf(mac: string): Promise<string | undefined> {
    const [found] = await this.#stored.find({ macAddress: macOf(mac) ?? mac }, { limit: 1 });
    return found?.ipAddress ?? undefined;
  }

  async create(input: NewLookup): Promise<LookupRecord> {
    const now = new Date().toISOString();
    const { macAddress } = input;
    const empty = { node: null, ipAddress: null };
    const lookup = { id: randomUUID(), macAddress, ...empty, ...spelled(input), createdAt: now, updatedAt: now };
    await refusing(macAddress, this.#stored.insert(lookup));
    await this.#hung(lookup.node);
    return lookup;
  }

  async update(id: string, change: Partial<NewLookup>): Promise<LookupRecord | undefined> {
    const $set = { ...spelled(change), updatedAt: new Date().toISOString() };
    const lookup = await refusing(change.macAddress, this.#stored.update({ id }, { $set }));
    if (lookup !== undefined) await this.#hung(change.node ?? null);
    return lookup;
  }

  async #hung(node: string | null): Promise<void> {
    if (node !== null) await hung(this.#known, [node], () => this.forget(node));
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#stored.remove({ id })) > 0;
  }

  async forget(node: string): Promise<void> {
    await this.#stored.remove({ node });
  }
}

function has(term: string, ...more: string[]): Record<string, unknown> {
  const fields = {
    macAddress: macOf(term) ?? term,
    ipAddress: term,
    ...Object.fromEntries(more.map((f) => [f, term])),
  };
  return { $or: Object.entries(fields).map(([field, value]) => ({ [field]: value })) };
}

async function refusing<T>(macAddress: string | undefined, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw invalid('macAddress', `${macAddress} is there already; change its lookup instead`);
  }
}
