/** A site of recorded BMCs: a node for each folder that `nw bmc record` wrote. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Engine } from '../../../engine/api-port/index.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { readMockup } from '../../../engine/hardware/twin/recorded/mockup-folder.ts';
import { modelOfTree } from '../../../engine/hardware/twin/recorded/recorded-model.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

const MOST_NODES = 10_000;

/** @param folder of one record, or of folders of records @throws CommandError */
export function recordedModels(folder: string): Model[] {
  try {
    const below = () => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const isOne = [folder, join(folder, 'redfish/v1')].some((place) => existsSync(join(place, 'index.json')));
    const places = isOne ? [resolve(folder)] : below().map(({ name }) => join(folder, name));
    if (places.length === 0 || places.length > MOST_NODES)
      throw new Error(`found ${places.length} folders; expected 1 to ${MOST_NODES} of nw bmc record`);
    return places.sort().map((place) => modelOfTree(readMockup(place), basename(place)));
  } catch (error) {
    throw new CommandError(`${folder}: ${messageOf(error)}`, EXIT.usage);
  }
}

/** Each node has the name of its folder, which identifies it, its drives, and a BMC that nothing asks. */
export async function addRecordedNodes(
  { nodes, obms, catalogs }: Pick<Engine, 'nodes' | 'obms' | 'catalogs'>,
  models: readonly Model[],
): Promise<void> {
  for (const { name, manufacturer, product, sku, drives } of models) {
    const { id } = await nodes.create({ type: 'compute', name, identifiers: [name] });
    const config = { uri: 'http://127.0.0.1', username: 'none', password: 'none' };
    await obms.put(id, { service: 'redfish-obm-service', config });
    const system = { Manufacturer: manufacturer, 'Product Name': product, 'SKU Number': sku, 'Serial Number': name };
    await catalogs.add(id, 'dmi', { 'System Information': system });
    const blockdevices = drives.map((drive) => ({
      name: drive.name,
      type: 'disk',
      model: drive.model,
      serial: `${name}-${drive.name}`,
      size: drive.bytes,
      rota: drive.isRotational,
    }));
    await catalogs.add(id, 'lsblk', { blockdevices });
  }
}
