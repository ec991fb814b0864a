/** Opens the baselines. */
import { BaselineDrift } from '../workflows/baselines/baseline-drift.ts';
import { baselineReports } from '../workflows/baselines/baseline-reports.ts';
import { BaselineRequests } from '../workflows/baselines/baseline-requests.ts';
import { baselineSpec, type StoredBaseline } from '../workflows/baselines/stored-baseline.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';

export async function openBaselines({ store }: Foundation, { storedNodes, nodes, skus }: Inventory) {
  const stored = await store.collection<StoredBaseline>(baselineSpec);
  const drift = new BaselineDrift({ storedNodes, catalogs: nodes.catalogs });
  const requests = new BaselineRequests({
    stored,
    drift,
    isSku: async (id) => (await skus.requests.stored.get(id)) !== undefined,
    comparing: (change) => skus.requests.generation.change(change),
  });
  return { requests, compare: baselineReports({ stored, nodes: storedNodes, drift, health: nodes.health }) };
}
