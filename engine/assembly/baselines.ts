/** Opens the baselines. */
import { BaselineRequests, baselineSpec, type StoredBaseline } from '../workflows/baselines/baseline-requests.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';

export const openBaselines = async ({ store }: Foundation, { storedNodes, nodes, skus }: Inventory) =>
  new BaselineRequests({
    stored: await store.collection<StoredBaseline>(baselineSpec),
    storedNodes,
    catalogs: nodes.catalogs,
    isSku: async (id) => (await skus.requests.stored.get(id)) !== undefined,
  });
