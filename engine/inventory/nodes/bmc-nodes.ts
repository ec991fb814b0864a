/**
 * The nodes that are reached at given hosts: an obm names the host of the BMC itself, or the MAC for which a user entered its IP, or
 * the host of a PDU with outlets that feed the node.
 */
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
  readonly #obms: Pick<ObmRequests, 'at' | 'fedBy'>;
  readonly #lookups: Pick<LookupRequests, 'at'>;

  constructor(
    stored: Pick<Collection<StoredNode>, 'find'>,
    obms: Pick<ObmRequests, 'at' | 'fedBy'>,
    lookups: Pick<LookupRequests, 'at'>,
  ) {
    this.#stored = stored;
    this.#obms = obms;
    this.#lookups = lookups;
  }

  /** Returns the nodes whose BMCs are at these hosts. @returns by host; hosts without a node are absent */
  at(hosts: readonly string[]): Promise<BmcNodes> {
    return this.#byHost(hosts, (part) => this.#withBmc(part));
  }

  /** Like `at`, with the nodes that PDUs at these hosts feed. */
  reachedAt(hosts: readonly string[]): Promise<BmcNodes> {
    const both = (part: readonly string[]) => Promise.all([this.#withBmc(part), this.#obms.fedBy(part)]);
    return this.#byHost(hosts, async (part) => (await both(part)).flat());
  }

  async #byHost(
    hosts: readonly string[],
    read: (part: readonly string[]) => Promise<{ host: string; nodeId: string }[]>,
  ): Promise<BmcNodes> {
    const nodesByHost: BmcNodes = new Map();
    for (let from = 0; from < hosts.length; from += HOSTS) {
      const reached = await read(hosts.slice(from, from + HOSTS));
      const stored = await byIds(this.#stored, [...new Set(reached.map(({ nodeId }) => nodeId))]);
      const names = new Map(stored.map(({ id, name }) => [id, name]));
      for (const [host, each] of groupBy(reached, (one) => one.host)) {
        const ids = [...new Set(each.map(({ nodeId }) => nodeId))].filter((id) => names.has(id));
        nodesByHost.set(
          host,
          ids.map((id) => ({ id, name: names.get(id) ?? '' })),
        );
      }
    }
    return nodesByHost;
  }

  async #withBmc(hosts: readonly string[]): Promise<{ host: string; nodeId: string }[]> {
    const ips = new Map((await this.#lookups.at(hosts)).map(({ macAddress, ipAddress }) => [macAddress, ipAddress]));
    const obms = await this.#obms.at([...hosts, ...ips.keys()]);
    return obms.map(({ host, nodeId }) => ({ host: ips.get(host) ?? host, nodeId }));
  }
}
