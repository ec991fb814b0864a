/** The modules around the SKUs: the foundation that they use, and the catalogs (`nodes/catalogs.ts`). */

import type { Outbox } from '../../events/broker/outbox.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import type { HasPendingEvents, PendingEvents } from '../../events/outbox/pending-events.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Channel } from '../../platform/queue/port.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import type { HealthRequests } from '../health/health-requests.ts';
import type { SkuAssignment, SkuChangeAction } from './events.ts';
import type { CatalogsBySource } from './paths.ts';

/** The fields of a node that classification uses. */
export interface ClassifiedNode extends HasPendingEvents {
  id: string;
  type: string;
  sku: string | null;
  /** The last assignment change; absent: there was none. `token`: tells equal changes of two processes apart. */
  skuMove?: Pick<SkuAssignment, 'number' | 'from' | 'at'> & { token: string };
  /** It has to be classified again. */
  skuPending?: boolean;
  tags?: readonly string[];
}

/** A latest catalog by which its node is not classified yet. */
export interface UnprocessedCatalog {
  id: string;
  version: number;
  node: string;
  source: string;
}

export interface SkusPort {
  store: Store;
  /** Notifies all processes that SKUs changed. */
  channel: Channel<null>;
  cluster: Pick<Cluster, 'reconciler'>;
  nodes: Collection<ClassifiedNode>;
  catalogs: {
    /** @returns the data of the latest catalogs from these sources, by node id */
    dataOf(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, CatalogsBySource>>;
    /** @returns the ids of the latest catalogs from these sources, by node id */
    latestIds(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, string[]>>;
    /** @param ids of catalogs, by node id @returns their data, by node id */
    dataIn(ids: ReadonlyMap<string, readonly string[]>): Promise<Map<string, CatalogsBySource>>;
    unprocessedCatalogs(limit: number): Promise<UnprocessedCatalog[]>;
    markProcessed(catalogs: readonly UnprocessedCatalog[]): Promise<void>;
  };
  /** Updates what the records of nodes have of new catalogs. */
  describe(catalogs: readonly UnprocessedCatalog[]): Promise<void>;
  pending: Pick<PendingEvents<ClassifiedNode>, 'updateEach'>;
  publisher: Pick<EventPublisher, 'send'>;
  /** Adds tags to a node. */
  tag(node: string, tags: readonly string[]): Promise<unknown>;
  /** For the progress of the regeneration. */
  outbox: Pick<Outbox, 'publish'>;
  /** Called once for each change of a node's SKU, after it is saved. */
  moved(action: SkuChangeAction): void;
  /** Called after nodes were classified, and before that is noted, so that a crash repeats it. */
  classified(nodes: readonly string[]): Promise<void>;
  health: Pick<HealthRequests, 'report'>;
  failed(error: unknown): void;
  /** ms between passes of the reconcile loop. */
  everyMs?: number;
}
