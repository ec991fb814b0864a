/** Nodes, catalogs and SKUs of one process on any store, without the rest of the engine. */

import { Outbox, outboxSpec, type WaitingEvent } from '../../../engine/events/broker/outbox.ts';
import { nodeSpec } from '../../../engine/inventory/nodes/stored-node.ts';
import { SkuRequests } from '../../../engine/inventory/skus/sku-requests.ts';
import { openSkus } from '../../../engine/inventory/skus/skus.ts';
import type { ClassifiedNode, UnprocessedCatalog } from '../../../engine/inventory/skus/skus-port.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import type { Channel } from '../../../engine/platform/queue/port.ts';
import type { Store } from '../../../engine/platform/store/port.ts';
import type { EventPayload, Publication } from '../../../engine/vocabulary/event.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from '../servers/hearing.ts';
import { openTestNodes } from './test-nodes.ts';

export interface SkuProcessOptions {
  store: Store;
  channel: Channel<null>;
  /** Interval of the reconcile loop in ms; absent: it does not run. */
  everyMs?: number;
  /** Replaces publishing to listeners. */
  publish?: (publications: readonly Publication[]) => Promise<void>;
  /** Called before nodes are described. @throws what the description then throws */
  beforeDescription?: (catalogs: readonly UnprocessedCatalog[]) => void;
}

export async function openSkuProcess(
  t: Scope,
  { store, channel, everyMs, publish, beforeDescription }: SkuProcessOptions,
) {
  const outbox = new Outbox(
    await store.collection<WaitingEvent>(outboxSpec),
    undefined,
    singleNodeCluster('sku'),
    () => {},
  );
  const told = new Hearing<EventPayload>();
  const errors: unknown[] = [];
  outbox.listen(({ body }) => told.add(body as EventPayload));
  const stored = await store.collection<ClassifiedNode>(nodeSpec);
  const nodes = await openTestNodes({
    store,
    outbox: publish === undefined ? outbox : { publish },
    catalogAdded: (catalog) => skus.catalogAdded(catalog),
    failed: (error) => errors.push(error),
  });
  const skus = await openSkus({
    store,
    channel,
    // All processes hold the lease at the same time, which is harder than reality.
    cluster: singleNodeCluster('sku'),
    nodes: stored,
    catalogs: nodes.catalogs,
    async describe(catalogs) {
      beforeDescription?.(catalogs);
      await nodes.hardware.describe(catalogs);
    },
    tag: (id, tags) => nodes.nodes.tag(id, tags),
    pending: nodes.pending,
    publisher: nodes.publisher,
    outbox: publish === undefined ? outbox : { publish },
    moved: () => {},
    classified: async () => {},
    health: nodes.health,
    failed: (error) => errors.push(error),
    ...(everyMs !== undefined && { everyMs }),
  });
  t.teardown(() => skus.close());
  if (everyMs !== undefined) await skus.start();
  return {
    ...nodes,
    stored,
    skus: new SkuRequests(skus.requests),
    get state() {
      return skus.state;
    },
    told,
    errors,
    classify: skus.classify,
    /** Creates a node with these catalogs. */
    async node(catalogs: Record<string, Record<string, unknown>> = {}): Promise<string> {
      const { id } = await nodes.nodes.create({ type: 'compute', name: 'n' });
      for (const [source, data] of Object.entries(catalogs)) await nodes.catalogs.add(id, source, data);
      return id;
    },
    skuOf: async (id: string) => (await stored.get(id))?.sku,
    /** Returns the SKU changes of a node as published, including repeats. */
    moves: (id: string) => told.all.filter(({ typeId, action }) => typeId === id && action.startsWith('sku.')),
    /** Returns the progress events of the regeneration. */
    progress: () => told.all.filter(({ action }) => action === 'skus.progress.updated'),
  };
}

export type SkuProcess = Awaited<ReturnType<typeof openSkuProcess>>;
