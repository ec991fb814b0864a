/**
 * Reads the sensors of a machine by Redfish, as a short list: temperatures and fans, or power. Services before 2020 have
 * them in Thermal and Power (DSP2046), newer ones in ThermalSubsystem, PowerSubsystem and EnvironmentMetrics.
 */
import { theOnlySystem } from '../../define/obm.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import { type AskResource, linkOf, type Resource, resourceLinks } from './redfish-resource.ts';

export interface ChassisSensor {
  /** Path of the chassis. */
  chassis: string;
  name: string;
  reading: number | null;
  /** `Cel`, `W`, `V`, or that of the service for a fan, such as `RPM` or `Percent`. */
  units: string;
  /** `OK`, `Warning`, `Critical`; null: the service does not say. */
  health: string | null;
  /** Such as `Enabled` or `Absent`; null: the service does not say. */
  state: string | null;
}

export type SensorKind = 'thermal' | 'power';

/** Limits of what a poll asks and keeps. */
const LIMIT = { chassis: 8, members: 32, sensors: 200, text: 64 };

type Sensor = Omit<ChassisSensor, 'chassis'>;

/** @param system path of the ComputerSystem; undefined: the service must have exactly one */
export async function readSensors(
  ask: AskResource,
  kind: SensorKind,
  system: string | undefined,
): Promise<ChassisSensor[]> {
  const get = (path: string) => ask({ method: 'GET', path });
  const path = system ?? theOnlySystem(resourceLinks((await get(`${SERVICE_ROOT}Systems`)).Members));
  const links = resourceLinks(property((await get(path)).Links, 'Chassis'));
  const all: ChassisSensor[] = [];
  for (const chassis of links.slice(0, LIMIT.chassis)) {
    const sensors = await readers[kind](get, await get(chassis));
    all.push(...sensors.map((sensor) => ({ chassis, ...sensor })));
  }
  return all.slice(0, LIMIT.sensors);
}

type Get = (path: string) => Promise<Resource>;

const readers: Record<SensorKind, (get: Get, chassis: Resource) => Promise<Sensor[]>> = {
  thermal: async (get, { Thermal: older, ThermalSubsystem: newer }) => {
    if (older !== undefined) {
      const { Temperatures: temperatures, Fans: fans } = await get(linkOf(older));
      return [
        ...listIn(temperatures).map((one) => sensorOf(one, property(one, 'ReadingCelsius'), 'Cel')),
        ...listIn(fans).map((one) => sensorOf(one, property(one, 'Reading'), textOf(property(one, 'ReadingUnits')))),
      ];
    }
    if (newer === undefined) return [];
    const { ThermalMetrics: metrics, Fans: fans } = await get(linkOf(newer));
    const measured = metrics === undefined ? {} : await get(linkOf(metrics));
    return [
      ...listIn(measured.TemperatureReadingsCelsius).map((one) => sensorOf(one, property(one, 'Reading'), 'Cel')),
      ...(await membersOf(get, fans)).map((one) => sensorOf(one, property(one.SpeedPercent, 'Reading'), 'Percent')),
    ];
  },
  power: async (get, { Power: older, PowerSubsystem: newer, EnvironmentMetrics: environment }) => {
    if (older !== undefined) {
      const { PowerControl: controls, PowerSupplies: supplies, Voltages: voltages } = await get(linkOf(older));
      return [
        ...listIn(controls).map((one) => sensorOf(one, property(one, 'PowerConsumedWatts'), 'W')),
        ...listIn(supplies).map((one) => sensorOf(one, suppliedWatts(one), 'W')),
        ...listIn(voltages).map((one) => sensorOf(one, property(one, 'ReadingVolts'), 'V')),
      ];
    }
    const drawn = environment === undefined ? {} : await get(linkOf(environment));
    const watts = property(drawn.PowerWatts, 'Reading');
    const supplies = newer === undefined ? undefined : (await get(linkOf(newer))).PowerSupplies;
    return [
      ...(watts === undefined ? [] : [sensorOf({ Name: 'Power' }, watts, 'W')]),
      ...(await membersOf(get, supplies)).map((one) => sensorOf(one, undefined, 'W')),
    ];
  },
};

const suppliedWatts = (supply: unknown): unknown =>
  property(supply, 'PowerOutputWatts') ?? property(supply, 'LastPowerOutputWatts');

async function membersOf(get: Get, collection: unknown): Promise<Resource[]> {
  if (collection === undefined) return [];
  const members: Resource[] = [];
  const paths = resourceLinks((await get(linkOf(collection))).Members).slice(0, LIMIT.members);
  // One after the other: a BMC is a small computer.
  for (const path of paths) members.push(await get(path));
  return members;
}

function sensorOf(resource: unknown, reading: unknown, units: string): Sensor {
  const status = property(resource, 'Status');
  const name = property(resource, 'Name') ?? property(resource, 'FanName') ?? property(resource, 'DeviceName');
  return {
    name: textOf(name),
    reading: typeof reading === 'number' && Number.isFinite(reading) ? reading : null,
    units,
    health: wordOf(property(status, 'Health')),
    state: wordOf(property(status, 'State')),
  };
}

const wordOf = (value: unknown): string | null => (typeof value === 'string' ? textOf(value) : null);

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LIMIT.text) : '');
