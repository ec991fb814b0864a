/**
 * SKUs: keeps each node's SKU correct while nodes, catalogs and SKUs change.
 *
 * Owns: a node's `sku`, and the regeneration. Relies on writers of catalogs to keep them marked as unprocessed until
 * `taken` is called, and on writers of SKUs to use `change`.
 */

import type { TagRecord } from '../../api-port/index.ts';
import { batch } from '../../platform/lib/batch.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { Classifier } from './classifier.ts';
import { Generation, type Regeneration, regenerationSpec } from './generation.ts';
import { SkuCache } from './sku-cache.ts';
import { skuDrift } from './sku-drift.ts';
import { SkuReconciler } from './sku-reconciler.ts';
import type { SkusPort, UnprocessedCatalog } from './skus-port.ts';
import { type StoredSku, skuSpec } from './stored-sku.ts';
import { TagRules, tagSpec } from './tag-rules.ts';

/** ms that adding a catalog waits for the classification of its node. */
const SOON_MS = 2_000;
/** Limit of nodes that are classified together when their catalogs arrive at the same time. */
const NODES_PER_GROUP = 20;

export type OpenSkus = Awaited<ReturnType<typeof openSkus>>;

export async function openSkus(port: SkusPort) {
  const { store, channel, nodes, catalogs, failed } = port;
  const stored = await store.collection<StoredSku>(skuSpec);
  const announce = () => channel.publish(null).catch(failed);
  const generation = new Generation(await store.collection<Regeneration>(regenerationSpec), announce);
  // A launch needs to know whether SKUs exist.
  await generation.read();
  const cache = new SkuCache(stored, generation);
  const tags = new TagRules(await store.collection<TagRecord>(tagSpec), generation, port);
  const classifierPort = {
    ...port,
    settled: skuDrift(stored, port.health),
    // Without SKUs there are no baselines, and each catalog of a rack that boots would read its node again.
    async classified(ids: readonly string[]) {
      if (generation.knownGeneration > 0) await port.classified(ids);
    },
  };
  const classifier = new Classifier(classifierPort, cache, tags);
  const reconciler = new SkuReconciler(port, generation, classifier);
  const classify = batch(async (ids: string[]) => {
    const errors = await classifier.byId(ids);
    return ids.map((id) => (errors.get(id) as Error | undefined) ?? id);
  }, NODES_PER_GROUP);
  const describe = batch(async (added: UnprocessedCatalog[]) => {
    await port.describe(added);
    return added;
  });
  const markProcessed = batch(async (processed: UnprocessedCatalog[]) => {
    await catalogs.markProcessed(processed);
    return processed;
  });
  const underWay = new Set<Promise<void>>();
  let unsubscribe: (() => Promise<void>) | undefined;

  async function use(catalog: UnprocessedCatalog): Promise<void> {
    try {
      await Promise.all([describe(catalog), classify(catalog.node)]);
      await markProcessed(catalog);
    } catch (error) {
      // The catalog stays unprocessed, and the reconcile loop retries.
      failed(error);
    }
  }

  return {
    /** For the requests about SKUs. */
    requests: { stored, nodes, catalogs, cache, generation },

    /** Tags by rule, as the API has them. */
    tags,

    /** The regeneration as this process last saw it. */
    get state(): Regeneration | undefined {
      return reconciler.state;
    },

    /** Classifies the node of a new catalog; returns early if that takes long. Never rejects. */
    async catalogAdded(catalog: UnprocessedCatalog): Promise<void> {
      const work = use(catalog);
      underWay.add(work);
      void work.then(() => underWay.delete(work));
      await withTimeout(work, SOON_MS, () => {});
    },

    /** Resolves when the node has the SKU that its catalogs match. */
    classify,

    /** Returns the SKU of the node. */
    async of(node: string | null): Promise<StoredSku | undefined> {
      // If there never was a SKU, a launch need not wait for a read.
      return node === null || generation.knownGeneration === 0 ? undefined : this.skuOf(node);
    },

    /** Like `of`, but also correct when another process created the first SKU just now. */
    async skuOf(node: string): Promise<StoredSku | undefined> {
      const id = (await nodes.get(node))?.sku ?? null;
      return id === null ? undefined : stored.get(id);
    },

    async start(): Promise<void> {
      unsubscribe = await channel.subscribe(() => reconciler.request());
      await reconciler.start();
    },

    async close(): Promise<void> {
      await unsubscribe?.();
      classifier.close();
      await reconciler.close();
      await Promise.all(underWay);
    },
  };
}
