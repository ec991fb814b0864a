/** Sensors as services since 2020 have them: ThermalSubsystem, PowerSubsystem, and a resource for each sensor. */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcAsked, BmcRoute } from './asked.ts';
import { chassisPath, collectionOf, enabledStatus, linkTo, ROOT_PATH, resourceOf } from './documents.ts';
import { type ModelSensor, readingOf, sensorId, sensorsOf } from './readings.ts';

const CHASSIS = `${ROOT_PATH}/Chassis/:chassis`;

const kinds = {
  temperature: { ReadingType: 'Temperature', ReadingUnits: 'Cel' },
  fan: { ReadingType: 'Rotational', ReadingUnits: '{rev}/min' },
  power: { ReadingType: 'Power', ReadingUnits: 'W' },
} as const;

const sensorPath = (asked: BmcAsked, sensor: ModelSensor): string =>
  `${chassisPath(asked)}/Sensors/${sensorId(sensor)}`;

const sensorAt = ({ model, params }: BmcAsked): ModelSensor | undefined =>
  model.sensors.find((sensor) => sensorId(sensor) === params.id);

function sensorDocument(asked: BmcAsked): JsonObject {
  const { machine, model } = asked;
  const sensor = sensorAt(asked);
  if (sensor === undefined) return {};
  const at = sensorsOf(model, sensor.kind).indexOf(sensor);
  const threshold = sensor.kind === 'fan' ? 'LowerCritical' : 'UpperCritical';
  return resourceOf(asked, 'Sensor', sensor.name, {
    ...kinds[sensor.kind],
    Reading: readingOf(machine, sensor, at),
    Thresholds: { [threshold]: { Reading: sensor.critical } },
    Status: enabledStatus,
  });
}

const fanIds = ({ model }: BmcAsked): string[] => sensorsOf(model, 'fan').map(sensorId);
const supplyIds = ({ model }: BmcAsked): string[] =>
  Array.from({ length: model.powerSupplies.count }, (_, at) => `PSU${at + 1}`);

function fanDocument(asked: BmcAsked): JsonObject {
  const { machine, model, params } = asked;
  const fans = sensorsOf(model, 'fan');
  const at = fans.findIndex((sensor) => sensorId(sensor) === params.id);
  const sensor = fans[at];
  if (sensor === undefined) return {};
  const reading = readingOf(machine, sensor, at);
  return resourceOf(asked, 'Fan', sensor.name, {
    SpeedPercent: {
      DataSourceUri: sensorPath(asked, sensor),
      Reading: Math.min(Math.round(reading / 200), 100),
      SpeedRPM: reading,
    },
    Status: enabledStatus,
  });
}

const metricsDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'ThermalMetrics', 'Temperatures', {
    TemperatureReadingsCelsius: sensorsOf(asked.model, 'temperature').map((sensor, at) => ({
      DataSourceUri: sensorPath(asked, sensor),
      DeviceName: sensor.name,
      Reading: readingOf(asked.machine, sensor, at),
    })),
  });

const supplyDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'PowerSupply', `Power supply ${asked.params.id}`, {
    Model: asked.model.powerSupplies.model,
    PowerSupplyType: 'AC',
    PowerCapacityWatts: asked.model.powerSupplies.watts,
    Status: enabledStatus,
  });

const isThere = ({ model }: BmcAsked): boolean => model.tree.cooling !== 'older';
/** A row of these subsystems. */
const row = (path: string, get: BmcRoute['get'], has: (asked: BmcAsked) => boolean = () => true): BmcRoute => ({
  path: `${CHASSIS}/${path}`,
  has: (asked) => isThere(asked) && has(asked),
  ...(get !== undefined && { get }),
});

export const sensorRoutes: readonly BmcRoute[] = [
  row('ThermalSubsystem', (asked) =>
    resourceOf(asked, 'ThermalSubsystem', 'Cooling', {
      Fans: linkTo(`${asked.path}/Fans`),
      ThermalMetrics: linkTo(`${asked.path}/ThermalMetrics`),
      Status: enabledStatus,
    }),
  ),
  row('ThermalSubsystem/ThermalMetrics', metricsDocument),
  row('ThermalSubsystem/Fans', (asked) => collectionOf(asked, 'Fan', fanIds(asked))),
  row('ThermalSubsystem/Fans/:id', fanDocument, (asked) => fanIds(asked).includes(asked.params.id ?? '')),
  row('PowerSubsystem', (asked) =>
    resourceOf(asked, 'PowerSubsystem', 'Power supplies', {
      CapacityWatts: asked.model.powerSupplies.count * asked.model.powerSupplies.watts,
      PowerSupplies: linkTo(`${asked.path}/PowerSupplies`),
      Status: enabledStatus,
    }),
  ),
  row('PowerSubsystem/PowerSupplies', (asked) => collectionOf(asked, 'PowerSupply', supplyIds(asked))),
  row('PowerSubsystem/PowerSupplies/:id', supplyDocument, (asked) => supplyIds(asked).includes(asked.params.id ?? '')),
  row('Sensors', (asked) => collectionOf(asked, 'Sensor', asked.model.sensors.map(sensorId))),
  row('Sensors/:id', sensorDocument, (asked) => sensorAt(asked) !== undefined),
];
