/** The chassis of a machine. Its sensors are in `sensors.ts` and `older-sensors.ts`. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { chassisPath, collectionOf, linkTo, managerPath, ROOT_PATH, resourceOf, systemPath } from './documents.ts';
import { BodyFields } from './fields.ts';
import { changeLight, lightOf } from './lights.ts';
import { drivePaths } from './storage.ts';

function chassisDocument(call: BmcCall): JsonObject {
  const { machine, model } = call;
  const path = chassisPath(call);
  const { cooling } = model.tree;
  return resourceOf(call, 'Chassis', 'Chassis', {
    ChassisType: 'RackMount',
    Manufacturer: model.manufacturer,
    Model: model.product,
    SKU: model.sku,
    PartNumber: model.sku,
    SerialNumber: machine.facts.serial,
    PowerState: machine.state.power.is,
    Status: { State: machine.isOn ? 'Enabled' : 'StandbyOffline', Health: 'OK' },
    ...lightOf(call),
    ...(cooling !== 'newer' && { Thermal: linkTo(`${path}/Thermal`), Power: linkTo(`${path}/Power`) }),
    ...(cooling !== 'older' && {
      ThermalSubsystem: linkTo(`${path}/ThermalSubsystem`),
      PowerSubsystem: linkTo(`${path}/PowerSubsystem`),
      Sensors: linkTo(`${path}/Sensors`),
    }),
    Links: {
      ComputerSystems: [linkTo(systemPath(call))],
      ManagedBy: [linkTo(managerPath(call))],
      Drives: drivePaths(call).map(linkTo),
    },
  });
}

async function changeChassis(call: BmcCall): Promise<BmcReply> {
  changeLight(call, new BodyFields(call.body, [call.model.tree.light]));
  await call.machine.save();
  return { status: 200, body: chassisDocument(call) };
}

export const chassisRoutes: readonly BmcRoute[] = [
  { path: `${ROOT_PATH}/Chassis`, get: (call) => collectionOf(call, 'Chassis', [call.model.ids.chassis]) },
  { path: `${ROOT_PATH}/Chassis/:chassis`, get: chassisDocument, patch: changeChassis },
];
