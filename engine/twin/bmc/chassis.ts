/** The chassis of a machine. Its sensors are in `sensors.ts` and `older-sensors.ts`. */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { chassisPath, collectionOf, linkTo, managerPath, ROOT_PATH, resourceOf, systemPath } from './documents.ts';
import { BodyFields } from './fields.ts';
import { changeLight, lightOf } from './lights.ts';
import { drivePaths } from './storage.ts';

function chassisDocument(asked: BmcAsked): JsonObject {
  const { machine, model } = asked;
  const path = chassisPath(asked);
  const { cooling } = model.tree;
  return resourceOf(asked, 'Chassis', 'Chassis', {
    ChassisType: 'RackMount',
    Manufacturer: model.manufacturer,
    Model: model.product,
    SKU: model.sku,
    PartNumber: model.sku,
    SerialNumber: machine.facts.serial,
    PowerState: machine.state.power.is,
    Status: { State: machine.isOn ? 'Enabled' : 'StandbyOffline', Health: 'OK' },
    ...lightOf(asked),
    ...(cooling !== 'newer' && { Thermal: linkTo(`${path}/Thermal`), Power: linkTo(`${path}/Power`) }),
    ...(cooling !== 'older' && {
      ThermalSubsystem: linkTo(`${path}/ThermalSubsystem`),
      PowerSubsystem: linkTo(`${path}/PowerSubsystem`),
      Sensors: linkTo(`${path}/Sensors`),
    }),
    Links: {
      ComputerSystems: [linkTo(systemPath(asked))],
      ManagedBy: [linkTo(managerPath(asked))],
      Drives: drivePaths(asked).map(linkTo),
    },
  });
}

async function changeChassis(asked: BmcAsked): Promise<BmcSaid> {
  changeLight(asked, new BodyFields(asked.body, [asked.model.tree.light]));
  await asked.machine.changed();
  return { status: 200, body: chassisDocument(asked) };
}

export const chassisRoutes: readonly BmcRoute[] = [
  { path: `${ROOT_PATH}/Chassis`, get: (asked) => collectionOf(asked, 'Chassis', [asked.model.ids.chassis]) },
  { path: `${ROOT_PATH}/Chassis/:chassis`, get: chassisDocument, patch: changeChassis },
];
