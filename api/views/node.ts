/** The views of a node and its dependents. */
import type { AccessService, CatalogRecord, LookupRecord, NodeRecord, ObmRecord } from '../../engine/api-port/index.ts';
import { catalogRecord, lookupRecord, nodeRecord, sighting } from '../../engine/api-port/nodes.ts';
import { redactAll, redactedInTurns } from './common.ts';
import { projection } from './projection.ts';

export const nodeView = projection(nodeRecord, { config: ({ config }: NodeRecord) => redactAll(config) });

const shownCatalog = projection(catalogRecord);

export const catalogView = async (record: CatalogRecord) =>
  shownCatalog({ ...record, data: await redactedInTurns(record.data) });

/** One after the other: each may be megabytes long. */
export async function catalogViews(records: readonly CatalogRecord[]) {
  const views: Awaited<ReturnType<typeof catalogView>>[] = [];
  for (const record of records) views.push(await catalogView(record));
  return views;
}

/** The node's id under both names: clients send `nodeId`; RackHD's clients read `node`. */
export const accessView = <Service extends AccessService>({ nodeId, ...record }: ObmRecord<Service>) => ({
  ...record,
  nodeId,
  node: nodeId,
});

const sightingView = projection(sighting);

export const lookupView = projection(lookupRecord, {
  node: ({ node, awaited }: LookupRecord) => node ?? awaited ?? null,
  observed: ({ observed }: LookupRecord) => (observed ? sightingView(observed) : null),
});
