/** Sensors as services since 2020 have them: ThermalSubsystem, PowerSubsystem, and a resource for each sensor. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcRoute } from './bmc-call.ts';
import { chassisPath, collectionOf, enabledStatus, linkTo, ROOT_PATH, resourceOf } from './documents.ts';
import { type ModelSensor, readingOf, sensorId, sensorsOf } from './sensor-readings.ts';

const CHASSIS = `${ROOT_PATH}/Chassis/:chassis`;

const kinds = {
  temperature: { ReadingType: 'Temperature', ReadingUnits: 'Cel' },
  fan: { ReadingType: 'Rotational', ReadingUnits: '{rev}/min' },
  power: { ReadingType: 'Power', ReadingUnits: 'W' },
} as const;

const sensorPath = (call: BmcCall, sensor: ModelSensor): string => `${chassisPath(call)}/Sensors/${sensorId(sensor)}`;

const sensorAt = ({ model, params }: BmcCall): ModelSensor | undefined =>
  model.sensors.find((sensor) => sensorId(sensor) === params.id);

function sensorDocument(call: BmcCall): JsonObject {
  const { machine, model } = call;
  const sensor = sensorAt(call);
  if (sensor === undefined) return {};
  const at = sensorsOf(model, sensor.kind).indexOf(sensor);
  const threshold = sensor.kind === 'fan' ? 'LowerCritical' : 'UpperCritical';
  return resourceOf(call, 'Sensor', sensor.name, {
    ...kinds[sensor.kind],
    Reading: readingOf(machine, sensor, at),
    Thresholds: { [threshold]: { Reading: sensor.critical } },
    Status: enabledStatus,
  });
}

const fanIds = ({ model }: BmcCall): string[] => sensorsOf(model, 'fan').map(sensorId);
const supplyIds = ({ model }: BmcCall): string[] =>
  Array.from({ length: model.powerSupplies.count }, (_, at) => `PSU${at + 1}`);

function fanDocument(call: BmcCall): JsonObject {
  const { machine, model, params } = call;
  const fans = sensorsOf(model, 'fan');
  const at = fans.findIndex((sensor) => sensorId(sensor) === params.id);
  const sensor = fans[at];
  if (sensor === undefined) return {};
  const reading = readingOf(machine, sensor, at);
  return resourceOf(call, 'Fan', sensor.name, {
    SpeedPercent: {
      DataSourceUri: sensorPath(call, sensor),
      Reading: Math.min(Math.round(reading / 200), 100),
      SpeedRPM: reading,
    },
    Status: enabledStatus,
  });
}

const metricsDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'ThermalMetrics', 'Temperatures', {
    TemperatureReadingsCelsius: sensorsOf(call.model, 'temperature').map((sensor, at) => ({
      DataSourceUri: sensorPath(call, sensor),
      DeviceName: sensor.name,
      Reading: readingOf(call.machine, sensor, at),
    })),
  });

const supplyDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'PowerSupply', `Power supply ${call.params.id}`, {
    Model: call.model.powerSupplies.model,
    PowerSupplyType: 'AC',
    PowerCapacityWatts: call.model.powerSupplies.watts,
    Status: enabledStatus,
  });

const isThere = ({ model }: BmcCall): boolean => model.tree.cooling !== 'older';
/** A row of these subsystems. */
const row = (path: string, get: BmcRoute['get'], has: (call: BmcCall) => boolean = () => true): BmcRoute => ({
  path: `${CHASSIS}/${path}`,
  has: (call) => isThere(call) && has(call),
  ...(get !== undefined && { get }),
});

export const sensorRoutes: readonly BmcRoute[] = [
  row('ThermalSubsystem', (call) =>
    resourceOf(call, 'ThermalSubsystem', 'Cooling', {
      Fans: linkTo(`${call.path}/Fans`),
      ThermalMetrics: linkTo(`${call.path}/ThermalMetrics`),
      Status: enabledStatus,
    }),
  ),
  row('ThermalSubsystem/ThermalMetrics', metricsDocument),
  row('ThermalSubsystem/Fans', (call) => collectionOf(call, 'Fan', fanIds(call))),
  row('ThermalSubsystem/Fans/:id', fanDocument, (call) => fanIds(call).includes(call.params.id ?? '')),
  row('PowerSubsystem', (call) =>
    resourceOf(call, 'PowerSubsystem', 'Power supplies', {
      CapacityWatts: call.model.powerSupplies.count * call.model.powerSupplies.watts,
      PowerSupplies: linkTo(`${call.path}/PowerSupplies`),
      Status: enabledStatus,
    }),
  ),
  row('PowerSubsystem/PowerSupplies', (call) => collectionOf(call, 'PowerSupply', supplyIds(call))),
  row('PowerSubsystem/PowerSupplies/:id', supplyDocument, (call) => supplyIds(call).includes(call.params.id ?? '')),
  row('Sensors', (call) => collectionOf(call, 'Sensor', call.model.sensors.map(sensorId))),
  row('Sensors/:id', sensorDocument, (call) => sensorAt(call) !== undefined),
];
