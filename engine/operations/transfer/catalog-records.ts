/** The latest catalog of each source of each node. An import makes a catalog the latest, and unprocessed. */

import { catalogSpec, type LatestCatalog, latestSpec, type StoredCatalog } from '../../inventory/nodes/catalogs.ts';
import { byIds, groups, pages } from '../../platform/store/pages.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import { redact } from '../../vocabulary/conceal.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { jsonBytes } from '../../vocabulary/json-bytes.ts';
import { pickKeys, type RecordChange, type StoredRecords, textIn } from './record-kind.ts';

const CATALOG_FIELDS = ['id', 'node', 'source', 'data', 'knownBy', 'createdAt', 'updatedAt'];
/** A catalog may have 2 MiB. */
const CATALOGS_PER_READ = 20;

/** A line may leave out how the sender was identified. */
const withSender = (record: JsonObject): JsonObject => ({ knownBy: 'nothing', ...record });

const seriesOf = (record: JsonObject): string => `${record.node} ${record.source}`;

export async function catalogRecords(store: Store): Promise<StoredRecords> {
  const catalogs = await store.collection<StoredCatalog>(catalogSpec);
  const latest = await store.collection<LatestCatalog>(latestSpec);
  const read = async (refs: readonly LatestCatalog[]) => {
    const ids = refs.map(({ catalog }) => catalog);
    return (await byIds(catalogs, ids, CATALOGS_PER_READ)).map((catalog) => pickKeys(catalog, CATALOG_FIELDS));
  };
  return {
    type: 'catalog',
    idOf: seriesOf,
    normal: withSender,
    shown: (record) => ({ ...record, data: redact([], record.data) }),
    references: ({ node }) => [{ path: 'node', type: 'node', id: String(node) }],
    count: () => latest.count({}),
    async *each() {
      for await (const group of groups(pages(latest, {}), CATALOGS_PER_READ)) yield* await read(group);
    },
    byIds: async (ids) => read(await byIds(latest, ids)),
    owner: async () => undefined,
    async write(changes) {
      for (const change of changes) await add(catalogs, latest, change);
    },
  };
}

/** The catalog first: a reference to the latest is always valid. */
async function add(
  catalogs: Collection<StoredCatalog>,
  latest: Collection<LatestCatalog>,
  { record }: RecordChange,
): Promise<void> {
  const series = seriesOf(record);
  const before = await latest.get(series);
  const version = (before?.version ?? 0) + 1;
  const catalog = {
    ...withSender(record),
    id: textIn(record, 'id'),
    series,
    number: version,
  } as unknown as StoredCatalog;
  await catalogs.insertMissing([catalog]);
  const { id, node, source, createdAt, updatedAt } = catalog;
  const size = jsonBytes(record.data);
  await latest.put([
    { id: series, version, node, source, catalog: id, pending: true, sizes: [size], createdAt, updatedAt },
  ]);
}
