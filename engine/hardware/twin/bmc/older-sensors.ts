/** Sensors as services before 2020 have them: Thermal and Power. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcRoute } from './bmc-call.ts';
import { enabledStatus, ROOT_PATH, resourceOf } from './documents.ts';
import { type ModelSensor, readingOf, sensorsOf, supplyWatts } from './sensor-readings.ts';

const CHASSIS = `${ROOT_PATH}/Chassis/:chassis`;

/** An element of a list, which has its own identity. */
const memberOf = (path: string, list: string, at: number, name: string, more: JsonObject): JsonObject => ({
  '@odata.id': `${path}#/${list}/${at}`,
  MemberId: String(at),
  Name: name,
  ...more,
  Status: enabledStatus,
});

function thermalDocument(call: BmcCall): JsonObject {
  const { machine, model, path } = call;
  const temperature = (sensor: ModelSensor, at: number) =>
    memberOf(path, 'Temperatures', at, sensor.name, {
      ReadingCelsius: readingOf(machine, sensor, at),
      UpperThresholdCritical: sensor.critical,
      PhysicalContext: /cpu/i.test(sensor.name) ? 'CPU' : /inlet/i.test(sensor.name) ? 'Intake' : 'Exhaust',
    });
  const fan = (sensor: ModelSensor, at: number) =>
    memberOf(path, 'Fans', at, sensor.name, {
      Reading: readingOf(machine, sensor, at),
      ReadingUnits: 'RPM',
      LowerThresholdCritical: sensor.critical,
      PhysicalContext: 'SystemBoard',
    });
  const [temperatures, fans] = [sensorsOf(model, 'temperature'), sensorsOf(model, 'fan')];
  return resourceOf(call, 'Thermal', 'Thermal', {
    Status: enabledStatus,
    Temperatures: temperatures.map(temperature),
    'Temperatures@odata.count': temperatures.length,
    Fans: fans.map(fan),
    'Fans@odata.count': fans.length,
  });
}

function powerDocument(call: BmcCall): JsonObject {
  const { machine, model, path } = call;
  const controls = sensorsOf(model, 'power').map((sensor, at) =>
    memberOf(path, 'PowerControl', at, sensor.name, {
      PowerConsumedWatts: readingOf(machine, sensor, at),
      PowerCapacityWatts: model.powerSupplies.count * model.powerSupplies.watts,
    }),
  );
  const supplies = Array.from({ length: model.powerSupplies.count }, (_, at) =>
    memberOf(path, 'PowerSupplies', at, `Power supply ${at + 1}`, {
      Model: model.powerSupplies.model,
      PowerSupplyType: 'AC',
      PowerCapacityWatts: model.powerSupplies.watts,
      LastPowerOutputWatts: supplyWatts(machine),
      LineInputVoltage: 230,
    }),
  );
  return resourceOf(call, 'Power', 'Power', {
    PowerControl: controls,
    'PowerControl@odata.count': controls.length,
    PowerSupplies: supplies,
    'PowerSupplies@odata.count': supplies.length,
  });
}

const isThere = ({ model }: BmcCall): boolean => model.tree.cooling !== 'newer';

export const olderSensorRoutes: readonly BmcRoute[] = [
  { path: `${CHASSIS}/Thermal`, has: isThere, get: thermalDocument },
  { path: `${CHASSIS}/Power`, has: isThere, get: powerDocument },
];
