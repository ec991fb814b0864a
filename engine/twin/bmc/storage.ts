/** The storage of a system: a controller for each kind of drive, and the drives that are there now. */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { DriveState } from '../machine-state.ts';
import type { ModelDrive } from '../model.ts';
import type { BmcAsked, BmcRoute } from './asked.ts';
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

interface Bay {
  id: string;
  model: ModelDrive;
  state: DriveState;
}

const kindsOf = ({ model }: BmcAsked): Kind[] => [...new Set(model.drives.map(({ kind }) => kind))];
const storageIds = (asked: BmcAsked): string[] => kindsOf(asked).map((kind) => protocols[kind]);

function baysOf({ machine, model }: BmcAsked, storage: string): Bay[] {
  return machine.state.drives.flatMap((state) => {
    const drive = model.drives[state.model];
    if (drive === undefined || state.isMissing === true || protocols[drive.kind] !== storage) return [];
    return [{ id: `Bay.${state.model}`, model: drive, state }];
  });
}

/** Paths of all drives. */
export const drivePaths = (asked: BmcAsked): string[] =>
  storageIds(asked).flatMap((storage) =>
    baysOf(asked, storage).map(({ id }) => `${systemPath(asked)}/Storage/${storage}/Drives/${id}`),
  );

const hasStorage = (asked: BmcAsked): boolean => storageIds(asked).includes(asked.params.storage ?? '');
const bayOf = (asked: BmcAsked): Bay | undefined =>
  baysOf(asked, asked.params.storage ?? '').find(({ id }) => id === asked.params.drive);

function storageDocument(asked: BmcAsked): JsonObject {
  const bays = baysOf(asked, asked.params.storage ?? '').map(({ id }) => id);
  return resourceOf(asked, 'Storage', `${asked.params.storage} storage`, {
    Status: enabledStatus,
    Controllers: linkTo(`${asked.path}/Controllers`),
    Drives: linksTo(`${asked.path}/Drives`, bays),
    'Drives@odata.count': bays.length,
    Links: { Enclosures: [linkTo(chassisPath(asked))] },
  });
}

const controllerDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'StorageController', `${asked.params.storage} controller`, {
    Manufacturer: asked.model.manufacturer,
    Status: enabledStatus,
    SupportedDeviceProtocols: [asked.params.storage],
  });

function driveDocument(asked: BmcAsked): JsonObject {
  const bay = bayOf(asked);
  if (bay === undefined) return {};
  const { model, state } = bay;
  return resourceOf(asked, 'Drive', `Drive ${bay.id}`, {
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
    Links: { Chassis: linkTo(chassisPath(asked)) },
  });
}

export const storageRoutes: readonly BmcRoute[] = [
  { path: STORAGE, get: (asked) => collectionOf(asked, 'Storage', storageIds(asked)) },
  { path: `${STORAGE}/:storage`, has: hasStorage, get: storageDocument },
  {
    path: `${STORAGE}/:storage/Controllers`,
    has: hasStorage,
    get: (asked) => collectionOf(asked, 'StorageController', ['1']),
  },
  {
    path: `${STORAGE}/:storage/Controllers/:id`,
    has: (asked) => hasStorage(asked) && asked.params.id === '1',
    get: controllerDocument,
  },
  {
    path: `${STORAGE}/:storage/Drives/:drive`,
    has: (asked) => bayOf(asked) !== undefined,
    get: driveDocument,
  },
];
