/** SKUs, and the number of nodes that have each. */
import { computed } from '@preact/signals';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { type LiveValue, useLive } from './live.ts';
import { liveNodes } from './node-list.ts';

export type ShownSku = GetAnswer<'/skus'>[number];

const MAX_SKUS = 1_000;

/** Changes of SKUs have no event, except that nodes move. */
export const useSkus = (): LiveValue<ShownSku[]> =>
  useLive(
    'skus',
    async () => (await client.get('/skus', { query: { $top: MAX_SKUS } })).body,
    ({ type, action }) => type === 'node' && action.startsWith('skus.'),
  );

/** By the id of the SKU; undefined: the nodes are not read yet. */
const nodesBySku = computed<ReadonlyMap<string, number> | undefined>(() => {
  if (liveNodes.value.value === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const { sku } of liveNodes.value.value) if (sku !== null) counts.set(sku, (counts.get(sku) ?? 0) + 1);
  return counts;
});

/** The number of nodes that have the SKU; undefined: the nodes are not read yet. */
export const nodeCountOf = (sku: string): number | undefined => nodesBySku.value && (nodesBySku.value.get(sku) ?? 0);
