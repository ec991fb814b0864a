/** The nodes whose BMCs are at given hosts: an obm names the host itself, or the MAC for which a user entered its IP. */
import { groupBy } from '../../platform/lib/group-by.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { LookupRequests } from './lookups.ts';
import type { ObmRequests } from './obm-requests.ts';
import type { StoredNode } from './stored-node.ts';

export type BmcNodes = Map<string, { id: string; name: string }[]>;

/** Hosts in one question: a store returns at most 1,000 documents, and a host may have several obms. */
const HOSTS = 200;

export class BmcOwners {
  readonly #stored: Pick<Collection<StoredNode>, 'find'>;
  readonly #obms: Pick<ObmRequests, 'at'>;
  readonly #lookups: Pick<LookupRequests, 'at'>;

  constructor(
    stored: Pick<Collection<StoredNode>, 'find'>,
    obms: Pick<ObmRequests, 'at'>,
    lookups: Pick<LookupRequests, 'at'>,
  ) {
    this.#stored = stored;
    this.#obms = obms;
    this.#lookups = lookups;
  }

  /** @returns by host; hosts without a node are absent */
  async at(hosts: readonly string[]): Promise<BmcNodes> {
    const nodesByHost: BmcNodes = new Map();
    for (let from = 0; from < hosts.length; from += HOSTS)
      for (const [host, nodes] of await this.#at(hosts.slice(from, from + HOSTS))) nodesByHost.set(host, nodes);
    return nodesByHost;
  }

  async #at(hosts: readonly string[]): Promise<[host: string, nodes: { id: string; name: string }[]][]> {
    const ips = new Map((await this.#lookups.at(hosts)).map(({ macAddress, ipAddress }) => [macAddress, ipAddress]));
    const obms = await this.#obms.at([...hosts, ...ips.keys()]);
    const ids = [...new Set(obms.map(({ nodeId }) => nodeId))];
    const names = new Map((await byIds(this.#stored, ids)).map(({ id, name }) => [id, name]));
    return groupBy(obms, ({ host }) => ips.get(host) ?? host).map(([host, hostObms]) => {
      const nodes = [...new Set(hostObms.map(({ nodeId }) => nodeId))];
      return [host, nodes.flatMap((id) => (names.has(id) ? [{ id, name: names.get(id) ?? '' }] : []))];
    });
  }
}
