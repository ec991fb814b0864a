/**
 * Catalogs: what collectors found on a node. Every one is kept under its own id for a while; which is the latest of
 * its source stands in a document of its own, so that lists need not look at older ones.
 *
 * 1. A latest one is `fresh` from the write that makes it the latest until its node was classified with it.
 */
import { randomUUID } from 'node:crypto';
import type { CatalogRecord, Catalogs, Page, Paged } from '../api-port/index.ts';
import { byIds } from '../runtime/pages.ts';
import type { Collection, CollectionSpec, Versioned } from '../store/port.ts';
import { hung, type Known } from './hanging.ts';

export const catalogSpec: CollectionSpec = { name: 'catalogs', indexes: { series: 'text', node: 'text' } };
export const latestSpec: CollectionSpec = {
  name: 'latestcatalogs',
  indexes: { node: 'text', source: 'text', catalog: 'text', createdAt: 'text', updatedAt: 'text', fresh: 'boolean' },
};

export interface StoredCatalog extends CatalogRecord {
  /** Node and source. */
  series: string;
  /** Counts the catalogs of a series. */
  number: number;
}

/** `id`: node and source; `version` is the number of the latest. */
export interface Latest extends Versioned {
  node: string;
  source: string;
  catalog: string;
  fresh: boolean;
  createdAt: string;
  updatedAt: string;
}

/** Told of each latest one after it was written; resolves when nobody needs to wait for what becomes of it. */
export type CatalogAdded = (latest: Latest) => Promise<void>;

/** Of one source of one node. */
const KEPT = 10;
/** Documents found in one go: of references, and of catalogs, which may have megabytes. */
const AT_ONCE = 1_000;
const CATALOGS_AT_ONCE = 100;

export class CatalogRequests implements Catalogs {
  readonly #catalogs: Collection<StoredCatalog>;
  readonly #latest: Collection<Latest>;
  readonly #known: Known;
  readonly #added: CatalogAdded;

  constructor(catalogs: Collection<StoredCatalog>, latest: Collection<Latest>, known: Known, added: CatalogAdded) {
    this.#catalogs = catalogs;
    this.#latest = latest;
    this.#known = known;
    this.#added = added;
  }

  async add(node: string, source: string, data: Record<string, unknown>): Promise<CatalogRecord> {
    const series = `${node} ${source}`;
    const now = new Date().toISOString();
    const times = { createdAt: now, updatedAt: now };
    const stored: StoredCatalog = { id: randomUUID(), series, number: 0, node, source, data, ...times };
    for (;;) {
      const number = ((await this.#latest.get(series))?.version ?? 0) + 1;
      // Before it is the latest: what is called the latest is there.
      await this.#catalogs.insertMissing([{ ...stored, number }]);
      const latest: Latest = { id: series, version: number, node, source, catalog: stored.id, fresh: true, ...times };
      const [won] = await (number === 1 ? this.#latest.insertMissing([latest]) : this.#latest.replace([latest]));
      if (won) {
        await this.#catalogs.remove({ series, number: { $lte: number - KEPT } });
        await hung(this.#known, [node], () => this.forget(node));
        await this.#added(latest);
        return stored;
      }
      await this.#catalogs.remove({ id: stored.id });
    }
  }

  async latest({ filter, ...page }: Page): Promise<Paged<CatalogRecord>> {
    const found = await this.#latest.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    const catalogs = await this.#catalogs.find({ id: { $in: found.map(({ catalog }) => catalog) } });
    const byId = new Map(catalogs.map((catalog) => [catalog.id, catalog]));
    // One that was replaced since is in the next answer.
    const items = found.flatMap(({ catalog }) => byId.get(catalog) ?? []);
    return { items, total: await this.#latest.count(filter) };
  }

  async latestOf(node: string, source: string): Promise<CatalogRecord | undefined> {
    const latest = await this.#latest.get(`${node} ${source}`);
    return latest && this.#catalogs.get(latest.catalog);
  }

  /** @returns by node, for each of them: the data of its latest catalogs from these sources */
  async dataOf(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, Map<string, unknown>>> {
    const data = new Map(nodes.map((node) => [node, new Map<string, unknown>()]));
    const series = nodes.flatMap((node) => sources.map((source) => `${node} ${source}`));
    const latest = await byIds(this.#latest, series, AT_ONCE);
    const ids = latest.map(({ catalog }) => catalog);
    const catalogs = await byIds(this.#catalogs, ids, CATALOGS_AT_ONCE);
    for (const { node, source, data: found } of catalogs) data.get(node)?.set(source, found);
    return data;
  }

  /** Some of those whose node was not classified with them yet. */
  fresh(limit: number): Promise<Latest[]> {
    return this.#latest.find({ fresh: true }, { limit });
  }

  /** The nodes were classified with these, or with later ones. */
  async taken(latest: readonly Pick<Latest, 'id' | 'version'>[]): Promise<void> {
    const taken = { $set: { fresh: false } };
    await Promise.all(latest.map(({ id, version }) => this.#latest.update({ id, version }, taken)));
  }

  get(id: string): Promise<CatalogRecord | undefined> {
    return this.#catalogs.get(id);
  }

  async forget(node: string): Promise<void> {
    await this.#latest.remove({ node });
    await this.#catalogs.remove({ node });
  }
}
