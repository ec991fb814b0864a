/** Nodes and what hangs on them, put together. */
import type { LookupRecord } from '../api-port/index.ts';
import type { Outbox } from '../events/outbox.ts';
import type { Seal } from '../secrets.ts';
import type { Store } from '../store/port.ts';
import { CatalogRequests, catalogSpec, type Latest, latestSpec, type StoredCatalog } from './catalogs.ts';
import { LookupRequests, lookupSpec } from './lookups.ts';
import { nodeTeller } from './node-events.ts';
import { knownIn, NodeRequests, type NodesPort, nodeSpec, type StoredNode } from './nodes.ts';
import { ObmRequests, obmSpec, type StoredObm } from './obms.ts';
import { type Edge, Relations, relationSpec } from './relations.ts';

export interface OpenNodesPort extends Pick<NodesPort, 'retire'> {
  store: Store;
  outbox: Outbox;
  /** For what obms hold. */
  seal: Seal;
}

export async function openNodes({ store, outbox, seal, retire }: OpenNodesPort) {
  const stored = await store.collection<StoredNode>(nodeSpec);
  const tell = nodeTeller(outbox);
  const known = knownIn(stored);
  const catalogs = new CatalogRequests(
    await store.collection<StoredCatalog>(catalogSpec),
    await store.collection<Latest>(latestSpec),
    known,
  );
  const lookups = new LookupRequests(await store.collection<LookupRecord>(lookupSpec), known);
  const obms = new ObmRequests(await store.collection<StoredObm>(obmSpec), { seal, known, changed: tellObms });
  const relations = new Relations(await store.collection<Edge>(relationSpec), known);
  const nodes = new NodeRequests({ stored, relations, obms, catalogs, lookups, tell, retire });

  async function tellObms(nodeId: string): Promise<void> {
    const node = await stored.update({ id: nodeId }, { $set: { updatedAt: new Date().toISOString() } });
    if (node !== undefined) await tell('obms.updated', [node]);
  }
  return { nodes, catalogs, lookups, obms };
}
