/** The storage of a system: a controller for each kind of drive, and the drives that are there now. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { raidLevels } from '../../../vocabulary/raid-levels.ts';
import type { DriveState } from '../machine/machine-state.ts';
import type { ModelDrive } from '../machine/model.ts';
import type { BmcCall, BmcRoute } from './bmc-call.ts';
import {
  chassisPath,
  collectionOf,
  enabledStatus,
  linksTo,
  linkTo,
  ROOT_PATH,
  resourceOf,
  systemPath,
} from './documents.ts';

const STORAGE = `${ROOT_PATH}/Systems/:system/Storage`;
const protocols = { nvme: 'NVMe', sas: 'SAS', sata: 'SATA' } as const;
const gigabits = { nvme: 32, sas: 12, sata: 6 } as const;

type Kind = ModelDrive['kind'];

export interface Bay {
  id: string;
  model: ModelDrive;
  state: DriveState;
}

const kindsOf = ({ model }: BmcCall): Kind[] => [...new Set(model.drives.map(({ kind }) => kind))];
const storageIds = (call: BmcCall): string[] => kindsOf(call).map((kind) => protocols[kind]);

export function baysOf({ machine, model }: BmcCall, storage: string): Bay[] {
  return machine.state.drives.flatMap((state) => {
    const drive = model.drives[state.model];
    if (drive === undefined || state.isMissing === true || protocols[drive.kind] !== storage) return [];
    const { firmware = drive.firmware } = state;
    return [{ id: `Bay.${state.model}`, model: { ...drive, firmware }, state }];
  });
}

/** Paths of all drives. */
export const drivePaths = (call: BmcCall): string[] =>
  storageIds(call).flatMap((storage) =>
    baysOf(call, storage).map(({ id }) => `${systemPath(call)}/Storage/${storage}/Drives/${id}`),
  );

const hasStorage = (call: BmcCall): boolean => storageIds(call).includes(call.params.storage ?? '');
const bayOf = (call: BmcCall): Bay | undefined =>
  baysOf(call, call.params.storage ?? '').find(({ id }) => id === call.params.drive);

/** Whether the controller of the path makes volumes. */
export const hasRaid = (call: BmcCall): boolean =>
  call.model.tree.volumes !== undefined && hasStorage(call) && call.params.storage !== protocols.nvme;

function storageDocument(call: BmcCall): JsonObject {
  const bays = baysOf(call, call.params.storage ?? '').map(({ id }) => id);
  return resourceOf(call, 'Storage', `${call.params.storage} storage`, {
    Status: enabledStatus,
    Controllers: linkTo(`${call.path}/Controllers`),
    Drives: linksTo(`${call.path}/Drives`, bays),
    'Drives@odata.count': bays.length,
    ...(hasRaid(call) && { Volumes: linkTo(`${call.path}/Volumes`) }),
    Links: { Enclosures: [linkTo(chassisPath(call))] },
  });
}

const controllerDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'StorageController', `${call.params.storage} controller`, {
    Manufacturer: call.model.manufacturer,
    Status: enabledStatus,
    SupportedDeviceProtocols: [call.params.storage],
    ...(hasRaid(call) && { SupportedRAIDTypes: raidLevels }),
  });

function driveDocument(call: BmcCall): JsonObject {
  const bay = bayOf(call);
  if (bay === undefined) return {};
  const { model, state } = bay;
  return resourceOf(call, 'Drive', `Drive ${bay.id}`, {
    Manufacturer: model.vendor,
    Model: model.model,
    SerialNumber: state.serial,
    Revision: model.firmware,
    CapacityBytes: model.bytes,
    BlockSizeBytes: 512,
    Protocol: protocols[model.kind],
    MediaType: model.isRotational ? 'HDD' : 'SSD',
    CapableSpeedGbs: gigabits[model.kind],
    ...(model.isRotational ? { RotationSpeedRPM: 7_200 } : { PredictedMediaLifeLeftPercent: 98 }),
    FailurePredicted: false,
    StatusIndicator: 'OK',
    PhysicalLocation: {
      PartLocation: { LocationType: 'Bay', LocationOrdinalValue: state.model, ServiceLabel: bay.id },
    },
    Status: enabledStatus,
    Links: { Chassis: linkTo(chassisPath(call)), Volumes: volumesOn(call, state.serial) },
  });
}

const volumesOn = (call: BmcCall, serial: string) =>
  (call.bmc.volumes ?? [])
    .filter(({ drives }) => drives.includes(serial))
    .map(({ id, storage }) => linkTo(`${systemPath(call)}/Storage/${storage}/Volumes/${id}`));

export const storageRoutes: readonly BmcRoute[] = [
  { path: STORAGE, get: (call) => collectionOf(call, 'Storage', storageIds(call)) },
  { path: `${STORAGE}/:storage`, has: hasStorage, get: storageDocument },
  {
    path: `${STORAGE}/:storage/Controllers`,
    has: hasStorage,
    get: (call) => collectionOf(call, 'StorageController', ['1']),
  },
  {
    path: `${STORAGE}/:storage/Controllers/:id`,
    has: (call) => hasStorage(call) && call.params.id === '1',
    get: controllerDocument,
  },
  {
    path: `${STORAGE}/:storage/Drives/:drive`,
    has: (call) => bayOf(call) !== undefined,
    get: driveDocument,
  },
];
