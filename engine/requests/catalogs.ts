/**
 * Catalogs: what collectors found on a node. Every one is kept under its own id for a while; which is the latest of
 * its source stands in a document of its own, so that lists need not look at older ones.
 */
import { randomUUID } from 'node:crypto';
import type { CatalogRecord, Catalogs, Page, Paged } from '../api-port/index.ts';
import type { Collection, CollectionSpec, Versioned } from '../store/port.ts';
import { hung, type Known } from './hanging.ts';

export const catalogSpec: CollectionSpec = { name: 'catalogs', indexes: { series: 'text', node: 'text' } };
export const latestSpec: CollectionSpec = {
  name: 'latestcatalogs',
  indexes: { node: 'text', source: 'text', createdAt: 'text' },
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
  createdAt: string;
  updatedAt: string;
}

/** Of one source of one node. */
const KEPT = 10;

export class CatalogRequests implements Catalogs {
  readonly #catalogs: Collection<StoredCatalog>;
  readonly #latest: Collection<Latest>;
  readonly #known: Known;

  constructor(catalogs: Collection<StoredCatalog>, latest: Collection<Latest>, known: Known) {
    this.#catalogs = catalogs;
    this.#latest = latest;
    this.#known = known;
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
      const latest: Latest = { id: series, version: number, node, source, catalog: stored.id, ...times };
      const [won] = await (number === 1 ? this.#latest.insertMissing([latest]) : this.#latest.replace([latest]));
      if (won) {
        await this.#catalogs.remove({ series, number: { $lte: number - KEPT } });
        await hung(this.#known, [node], () => this.forget(node));
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

  get(id: string): Promise<CatalogRecord | undefined> {
    return this.#catalogs.get(id);
  }

  async forget(node: string): Promise<void> {
    await this.#latest.remove({ node });
    await this.#catalogs.remove({ node });
  }
}
