/** Reads what a BMC says of its machine, and keeps it as catalogs of a node. */
import type { ActivityScope, Redfish } from '../../define/index.ts';
import { type BmcInventory, inventoryOf } from './inventory.ts';
import { type Ask, onlySystem } from './service.ts';

/** @throws ObmError */
export async function readBmc(service: Redfish, signal: AbortSignal): Promise<BmcInventory> {
  const ask: Ask = (request) => service.ask(request, signal);
  return inventoryOf(ask, service.system ?? (await onlySystem(ask)));
}

/** @returns the sources, in order */
export async function addCatalogs(
  { services, signal }: Pick<ActivityScope<unknown>, 'services' | 'signal'>,
  nodeId: string,
  catalogs: BmcInventory['catalogs'],
): Promise<string[]> {
  for (const [source, data] of Object.entries(catalogs)) {
    signal.throwIfAborted();
    await services.addCatalog(nodeId, source, data);
  }
  return Object.keys(catalogs);
}
