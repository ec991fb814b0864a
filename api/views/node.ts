/** The API records of a node and its dependents. */
import { Type } from 'typebox';
import type {
  AccessService,
  CatalogData,
  CatalogRecord,
  LookupRecord,
  NodeRecord,
  ObmRecord,
} from '../../engine/api-port/index.ts';
import { ibmServices, lookupSources, nodeTypes, obmServices } from '../../engine/define/node.ts';
import { knownBy } from '../../engine/vocabulary/known-by.ts';
import { MAC_PATTERN } from '../../engine/vocabulary/mac.ts';
import { words } from '../http/words.ts';
import { anyObject, nonEmpty, orNull, redacted, redactedInTurns, time } from './common.ts';
import { projection } from './projection.ts';

export const relationRecord = Type.Object({ relationType: Type.String(), targets: Type.Array(Type.String()) });

export const nodeRecord = Type.Object(
  {
    id: Type.String(),
    type: words(nodeTypes),
    name: Type.String(),
    autoDiscover: Type.Boolean(),
    sku: orNull(Type.String()),
    createdAt: time,
    updatedAt: time,
    identifiers: Type.Array(Type.String()),
    obms: Type.Array(Type.Object({ ref: Type.String(), service: Type.String() })),
    relations: Type.Array(relationRecord),
    tags: Type.Array(Type.String()),
    catalogs: Type.Array(Type.Unknown()),
    workflows: Type.Array(Type.Unknown()),
    active: orNull(
      Type.Object(
        { id: Type.String(), name: Type.String(), label: orNull(Type.String()), since: time },
        { description: 'The workflow that holds the node; null: the node is free' },
      ),
    ),
    service: Type.Optional(Type.String()),
    config: Type.Optional(anyObject),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  },
  { title: 'Node' },
);

export const nodeView = projection(nodeRecord, { config: ({ config }: NodeRecord) => redacted(config) });

/** Tools print objects, lists and texts; null is not a catalog. */
export const catalogData = Type.Unsafe<CatalogData>({ type: ['object', 'array', 'string', 'number', 'boolean'] });

export const catalogRecord = Type.Object(
  {
    id: Type.String(),
    node: Type.String(),
    source: Type.String(),
    data: catalogData,
    knownBy: words(['operator', ...knownBy]),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Catalog' },
);

const shownCatalog = projection(catalogRecord);

export const catalogView = async (record: CatalogRecord) =>
  shownCatalog({ ...record, data: await redactedInTurns(record.data) });

/** One after the other: each may be megabytes long. */
export async function catalogViews(records: readonly CatalogRecord[]) {
  const views: Awaited<ReturnType<typeof catalogView>>[] = [];
  for (const record of records) views.push(await catalogView(record));
  return views;
}

export const newObm = Type.Object(
  { service: words(obmServices), config: Type.Optional(anyObject) },
  { additionalProperties: false },
);

const accessRecord = <Service extends AccessService>(services: readonly Service[], title: string) =>
  Type.Object(
    {
      id: Type.String(),
      nodeId: Type.String(),
      node: Type.String(),
      service: words(services),
      config: anyObject,
      createdAt: time,
      updatedAt: time,
    },
    { title },
  );

export const obmRecord = accessRecord(obmServices, 'Obm');
export const ibmRecord = accessRecord(ibmServices, 'Ibm');

/** The node's id under both names: clients send `nodeId`; RackHD's clients read `node`. */
export const accessView = <Service extends AccessService>({ nodeId, ...record }: ObmRecord<Service>) => ({
  ...record,
  nodeId,
  node: nodeId,
});

const mac = Type.String({ pattern: MAC_PATTERN });
const ip = Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })]);

export const newLookup = Type.Object(
  { macAddress: mac, ipAddress: Type.Optional(orNull(ip)), node: Type.Optional(orNull(nonEmpty)) },
  { additionalProperties: false },
);

export const sighting = Type.Object({
  node: Type.String(),
  ipAddress: orNull(Type.String()),
  from: Type.String(),
  at: time,
});
const sightingView = projection(sighting);

export const lookupRecord = Type.Object(
  {
    id: Type.String(),
    node: orNull(Type.String()),
    macAddress: Type.String(),
    ipAddress: orNull(Type.String()),
    source: words(lookupSources),
    observed: orNull(sighting),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Lookup' },
);

export const lookupView = projection(lookupRecord, {
  node: ({ node, awaited }: LookupRecord) => node ?? awaited ?? null,
  observed: ({ observed }: LookupRecord) => (observed ? sightingView(observed) : null),
});
