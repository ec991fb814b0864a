/** The RAID controllers of a ComputerSystem, with their drives and volumes (Storage, Drive, Volume; DSP0268). */
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import type { RaidController, RaidDrive, RaidVolume } from '../raid/raid-state.ts';
import { type Ask, type Json, linkIn, linksIn, membersOf, resourcesAt, unsupportedBy } from './service.ts';

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const bytesIn = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

/** @param system path @throws ObmError OBM_UNSUPPORTED if the BMC shows none */
export async function raidControllersOf(ask: Ask, system: string): Promise<RaidController[]> {
  const storage = linkIn((await ask({ method: 'GET', path: system })).Storage);
  if (storage === undefined) throw unsupportedBy('the BMC shows no Storage of the system');
  const controllers: RaidController[] = [];
  for (const unit of await membersOf(ask, storage)) {
    const collection = linkIn(unit.Volumes);
    if (collection === undefined) continue;
    const levels = await levelsOf(ask, unit);
    // A controller of NVMe drives has volumes too: the namespaces of each drive.
    if (levels?.length === 0) continue;
    controllers.push(await controllerOf(ask, unit, collection, levels));
  }
  if (controllers.length === 0)
    throw unsupportedBy('no Storage of the system takes volumes: it has no RAID controller');
  return controllers;
}

async function levelsOf(ask: Ask, unit: Json): Promise<readonly string[] | undefined> {
  const path = linkIn(unit.Controllers);
  const all = [...listIn(unit.StorageControllers), ...(path === undefined ? [] : await membersOf(ask, path))];
  const named = all.map((controller) => property(controller, 'SupportedRAIDTypes')).filter(Array.isArray);
  if (named.length > 0)
    return named
      .flat()
      .map(textIn)
      .filter((level) => level.startsWith('RAID'));
  const protocols = all.flatMap((controller) => listIn(property(controller, 'SupportedDeviceProtocols')));
  return protocols.length > 0 && protocols.every((protocol) => protocol === 'NVMe') ? [] : undefined;
}

async function controllerOf(
  ask: Ask,
  unit: Json,
  collection: string,
  levels: readonly string[] | undefined,
): Promise<RaidController> {
  const { Members: volumes, '@Redfish.OperationApplyTimeSupport': times } = await ask({
    method: 'GET',
    path: collection,
  });
  const applyTimes = listIn(objectIn(times).SupportedValues);
  return {
    id: textIn(unit.Id) || textIn(unit['@odata.id']),
    collection,
    levels,
    isStaged: applyTimes.length > 0 && !applyTimes.includes('Immediate'),
    drives: (await resourcesAt(ask, unit.Drives)).map(driveOf),
    volumes: (await resourcesAt(ask, volumes)).filter(isOfDrives).map(volumeOf),
  };
}

const driveOf = (drive: Json): RaidDrive => ({
  path: textIn(drive['@odata.id']),
  serial: textIn(drive.SerialNumber).trim(),
  bytes: bytesIn(drive.CapacityBytes),
  media: textIn(drive.MediaType),
  protocol: textIn(drive.Protocol),
  ...((property(drive.Status, 'Health') === 'Critical' || drive.FailurePredicted === true) && { unfit: 'is failing' }),
});

/** A drive that is passed through is shown as a volume by some BMCs. */
const isOfDrives = ({ RAIDType: raid, VolumeType: type }: Json): boolean =>
  raid === undefined || raid === null ? type !== 'RawDevice' : raid !== 'None';

const volumeOf = (volume: Json): RaidVolume => ({
  path: textIn(volume['@odata.id']),
  name: textIn(volume.DisplayName) || textIn(volume.Name),
  raid: textIn(volume.RAIDType),
  bytes: bytesIn(volume.CapacityBytes),
  drives: linksIn(property(volume.Links, 'Drives')),
});
