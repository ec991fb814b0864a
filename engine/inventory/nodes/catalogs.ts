/**
 * Catalogs: data that collectors found on a node. Each is kept under its own id for a while; a separate document refers
 * to the latest catalog of each source, so that lists need not read older ones.
 *
 * 1. A latest document is `pending` from the write that makes it the latest until its node is classified.
 * 2. Each catalog says how its sender was identified. Catalogs of southbound senders are limited per node, in sources
 *    and in bytes; catalogs of users are not, but count towards the limits.
 * 3. Secrets, as their names show them, are stored encrypted; nothing in the daemon needs them readable.
 */

import { randomUUID } from 'node:crypto';
import type { HardwareFacts } from '../../api-port/hardware.ts';
import type {
  CatalogData,
  CatalogRecord,
  CatalogSender,
  Catalogs,
  Page,
  PagedList,
  SouthboundQuotas,
} from '../../api-port/index.ts';
import { quotaDefaults } from '../../platform/config/southbound-quotas.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import { pause } from '../../platform/lib/pause.ts';
import { byIds, groups, pages, picking, readerBy } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';
import { type Hiding, redacting } from '../../vocabulary/conceal.ts';
import { concealInTurns } from '../../vocabulary/conceal-in-turns.ts';
import { NodewrightError, PermanentError } from '../../vocabulary/errors.ts';
import { jsonBytes } from '../../vocabulary/json-bytes.ts';
import { catalogFacts } from '../facts/hardware-facts.ts';
import { type ExistingNodes, removeFromMissing } from './dependents.ts';

export const catalogSpec: CollectionSpec = {
  name: 'catalogs',
  // With the number, old ones are removed without being read: each may be megabytes long.
  indexes: { series: 'text', number: 'number', node: 'text', source: 'text', createdAt: 'text', updatedAt: 'text' },
};
export const latestSpec: CollectionSpec = {
  name: 'latestcatalogs',
  indexes: { node: 'text', source: 'text', catalog: 'text', createdAt: 'text', updatedAt: 'text', pending: 'boolean' },
  newest: ['node'],
};

export interface StoredCatalog extends CatalogRecord {
  /** Node and source. */
  series: string;
  /** Sequence number of the catalog in its series. */
  number: number;
}

/** `id`: node and source; `version` is the number of the latest. */
export interface LatestCatalog extends VersionedDocument {
  node: string;
  source: string;
  catalog: string;
  pending: boolean;
  /** Bytes of the kept catalogs, newest first. */
  sizes: number[];
  /** Facts of the hardware in it; absent: its source has none. */
  facts?: HardwareFacts;
  createdAt: string;
  updatedAt: string;
}

/** Called with each latest document after its write; resolves when the sender need not wait for its processing. */
export type CatalogAdded = (latest: LatestCatalog) => Promise<void>;

export type CatalogQuota = Pick<SouthboundQuotas, 'catalogSources' | 'catalogBytes'>;

/** Catalogs kept per node and source. */
const CATALOGS_PER_SOURCE = 10;
/** Limits of one read: of references, and of catalogs, which may be megabytes long. */
const SOURCES_PAGE = 1_000;
const CATALOGS_PAGE = 100;
const RETENTION_PAGE = 100;
/** A node's record names the latest catalogs of at most this many sources; its list of catalogs has the rest. */
const SOURCES_OF_NODE = 100;

export class CatalogRequests implements Catalogs {
  readonly #catalogs: Collection<StoredCatalog>;
  readonly #latest: Collection<LatestCatalog>;
  readonly #existingNodes: ExistingNodes;
  readonly #added: CatalogAdded;
  readonly #quota: CatalogQuota;
  readonly #hiding: Hiding;
  readonly #turns = new KeyedQueues();
  /** The latest catalogs of a node. */
  readonly #latestOn: (node: string) => Promise<LatestCatalog[]>;

  constructor(
    catalogs: Collection<StoredCatalog>,
    latest: Collection<LatestCatalog>,
    existingNodes: ExistingNodes,
    added: CatalogAdded,
    quota: CatalogQuota = quotaDefaults,
    hiding: Hiding = redacting,
  ) {
    this.#catalogs = catalogs;
    this.#latest = latest;
    this.#latestOn = readerBy(latest, 'node');
    this.#existingNodes = existingNodes;
    this.#added = added;
    this.#quota = quota;
    this.#hiding = hiding;
  }

  async add(
    node: string,
    source: string,
    given: CatalogData,
    knownBy: CatalogSender = 'operator',
  ): Promise<CatalogRecord> {
    const data = (await concealInTurns(given, this.#hiding, pause)) as CatalogData;
    const size = jsonBytes(data);
    await pause();
    if (knownBy === 'operator') return this.#add(node, source, data, size, knownBy);
    // One at a time: concurrent requests would each count the same free space.
    return this.#turns.run(node, async () => {
      await this.#needRoom(node, source, size);
      return this.#add(node, source, data, size, knownBy);
    });
  }

  /** @throws NodewrightError TOO_MANY_REQUESTS, TOO_LARGE */
  async #needRoom(node: string, source: string, size: number): Promise<void> {
    const { catalogSources, catalogBytes } = this.#quota;
    const latestCatalogs = await this.#latestOn(node);
    if (latestCatalogs.length >= catalogSources && !latestCatalogs.some((latest) => latest.source === source)) {
      const problem = `the node has catalogs of ${latestCatalogs.length} sources, expected ${catalogSources} at most`;
      throw new NodewrightError(
        'TOO_MANY_REQUESTS',
        `${problem}; use one of these sources, or raise southboundQuotas.catalogSources`,
      );
    }
    const sizes = latestCatalogs.flatMap((latest) =>
      latest.sizes.slice(0, latest.source === source ? CATALOGS_PER_SOURCE - 1 : CATALOGS_PER_SOURCE),
    );
    const bytes = sizes.reduce((sum, each) => sum + each, size);
    if (bytes <= catalogBytes) return;
    const problem = `the catalogs of the node would have ${bytes} bytes, expected ${catalogBytes} at most`;
    throw new NodewrightError('TOO_LARGE', `${problem}; post less, or raise southboundQuotas.catalogBytes`);
  }

  async #add(
    node: string,
    source: string,
    data: CatalogData,
    size: number,
    knownBy: CatalogSender,
  ): Promise<CatalogRecord> {
    const series = `${node} ${source}`;
    const now = new Date().toISOString();
    const times = { createdAt: now, updatedAt: now };
    const stored: StoredCatalog = { id: randomUUID(), series, number: 0, node, source, data, knownBy, ...times };
    const facts = catalogFacts(source, data);
    for (;;) {
      const before = await this.#latest.get(series);
      const number = (before?.version ?? 0) + 1;
      // Written before it becomes the latest, so that a reference to the latest is always valid.
      await this.#catalogs.insertMissing([{ ...stored, number }]);
      const sizes = [size, ...(before?.sizes ?? [])].slice(0, CATALOGS_PER_SOURCE);
      const latestCatalog = { id: series, version: number, node, source, catalog: stored.id, pending: true, sizes };
      const latest: LatestCatalog = { ...latestCatalog, ...(facts && { facts }), ...times };
      const [won] = await (number === 1 ? this.#latest.insertMissing([latest]) : this.#latest.replace([latest]));
      if (won) {
        const oldest = number - CATALOGS_PER_SOURCE;
        if (oldest > 0) await this.#catalogs.remove({ series, number: { $lte: oldest } });
        await removeFromMissing(this.#existingNodes, [node], () => this.forget(node));
        await this.#added(latest);
        return stored;
      }
      await this.#catalogs.remove({ id: stored.id });
    }
  }

  async latestOfSources({ filter, ...page }: Page): Promise<PagedList<CatalogRecord>> {
    const latestCatalogs = await this.#latest.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    const catalogs = await this.#catalogs.find({ id: { $in: latestCatalogs.map(({ catalog }) => catalog) } });
    const byId = new Map(catalogs.map((catalog) => [catalog.id, catalog]));
    // A catalog replaced in the meantime is missing here, and its successor is in the next answer.
    const items = latestCatalogs.flatMap(({ catalog }) => byId.get(catalog) ?? []);
    return { items, total: await this.#latest.count(filter) };
  }

  /** Returns all kept catalogs, newest first. */
  async all({ filter, ...page }: Page): Promise<PagedList<CatalogRecord>> {
    const items = await this.#catalogs.find(filter, { ...page, sort: page.sort ?? { createdAt: -1 } });
    return { items, total: await this.#catalogs.count(filter) };
  }

  /** @returns the ids of the latest catalogs of each node, the newest sources first, by node id */
  async idsOn(nodes: readonly string[]): Promise<Map<string, string[]>> {
    const latestRefs = await this.#latest.lastOf(['node', 'catalog'], 'node', nodes, SOURCES_OF_NODE);
    return new Map(
      groupBy(latestRefs, ({ node }) => node).map(([node, refs]) => [node, refs.map(({ catalog }) => catalog)]),
    );
  }

  async latestOf(node: string, source: string): Promise<CatalogRecord | undefined> {
    const latest = await this.#latest.get(`${node} ${source}`);
    return latest && this.#catalogs.get(latest.catalog);
  }

  /** Returns the data of the latest catalog of the source. */
  async latestData(node: string, source: string): Promise<unknown> {
    return (await this.latestOf(node, source))?.data;
  }

  /**
   * Returns the latest catalog if its sender was a user or an agent with a key.
   * @throws PermanentError CATALOG_UNTRUSTED
   */
  async trustedCatalog(node: string, source: string): Promise<CatalogRecord | undefined> {
    const latest = await this.latestOf(node, source);
    if (latest === undefined || latest.knownBy === 'operator' || latest.knownBy === 'key') return latest;
    const problem = `the catalog ${source} of the node ${node} came from a sender without a key of the node`;
    const advice = 'have a user post it, or collect it with an agent that has the key of its boot (nodewright.key=)';
    throw new PermanentError(
      `${problem}, so no password is sent to an address from it; ${advice}`,
      'CATALOG_UNTRUSTED',
    );
  }

  /** @returns the data of the latest catalogs from these sources, for each of the nodes, by node id */
  async dataOf(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, Map<string, unknown>>> {
    return this.dataIn(await this.latestIds(nodes, sources));
  }

  /** @returns the ids of the latest catalogs from these sources, for each of the nodes, by node id */
  async latestIds(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, string[]>> {
    const ids = new Map(nodes.map((node) => [node, [] as string[]]));
    const series = nodes.flatMap((node) => sources.map((source) => `${node} ${source}`));
    for (const { node, catalog } of await byIds(this.#latest, series, SOURCES_PAGE)) ids.get(node)?.push(catalog);
    return ids;
  }

  /** @param ids of catalogs, by node id @returns their data by source, by node id */
  async dataIn(ids: ReadonlyMap<string, readonly string[]>): Promise<Map<string, Map<string, unknown>>> {
    const data = new Map([...ids.keys()].map((node) => [node, new Map<string, unknown>()]));
    const catalogs = await byIds(this.#catalogs, [...ids.values()].flat(), CATALOGS_PAGE);
    for (const { node, source, data: catalogData } of catalogs) data.get(node)?.set(source, catalogData);
    return data;
  }

  /** Returns some of the unprocessed latest documents: their nodes are not classified with them yet. */
  unprocessedCatalogs(limit: number): Promise<LatestCatalog[]> {
    return this.#latest.find({ pending: true }, { limit });
  }

  /** Marks these as processed: the nodes were classified with them or with later ones. */
  async markProcessed(latest: readonly Pick<LatestCatalog, 'id' | 'version'>[]): Promise<void> {
    const update = { $set: { pending: false } };
    await this.#latest.updateEach(latest.map(({ id, version }) => ({ id, filter: { version }, update })));
  }

  get(id: string): Promise<CatalogRecord | undefined> {
    return this.#catalogs.get(id);
  }

  /** Removes catalogs from before an ISO time, a page at a time. The latest of each source stays, however old it is. */
  async removeBefore(before: string, goesOn: () => Promise<boolean>): Promise<void> {
    const old = pages(picking<StoredCatalog, 'series'>(this.#catalogs, ['series']), { createdAt: { $lt: before } });
    for await (const page of groups(old, RETENTION_PAGE)) {
      if (!(await goesOn())) return;
      const latest = await byIds(this.#latest, [...new Set(page.map(({ series }) => series))]);
      const stays = new Set(latest.map(({ catalog }) => catalog));
      const removed = page.filter(({ id }) => !stays.has(id));
      if (removed.length === 0) continue;
      await this.#catalogs.remove({ id: { $in: removed.map(({ id }) => id) } });
      const touched = new Set(removed.map(({ series }) => series));
      await Promise.all(latest.filter(({ id }) => touched.has(id)).map((one) => this.#recount(one)));
    }
  }

  /** The sizes of the catalogs that are left, which are the newest, count towards the quota. */
  async #recount({ id, version, sizes }: LatestCatalog): Promise<void> {
    const remainingCount = await this.#catalogs.count({ series: id });
    await this.#latest.update({ id, version }, { $set: { sizes: sizes.slice(0, remainingCount) } });
  }

  async forget(node: string): Promise<void> {
    await this.#latest.remove({ node });
    await this.#catalogs.remove({ node });
  }
}
