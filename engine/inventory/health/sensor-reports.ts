/** Reports on the health of a node by its sensors. */
import type { PollerReading } from '../../api-port/pollers.ts';
import type { ChassisSensor } from '../../hardware/obm/redfish-sensors.ts';
import { isObject, listIn } from '../../vocabulary/json.ts';
import type { HealthState } from '../../vocabulary/states.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { ReportChange } from './report-changes.ts';
import { endAfterPeriod } from './report-times.ts';

/** The report of a poller that polls no more ends within a day. */
const PERIOD_MS = 12 * HOUR_MS;
/** Sensors that a message names. */
const SENSORS_SHOWN = 8;

/** A sensor beyond one of its limits. */
interface BadSensor {
  name: string;
  state: HealthState;
}

/** @param command of the poller @returns nothing for a reading without sensors */
export function sensorReport(command: string, reading: PollerReading): ReportChange[] {
  const bad = badSensors(reading);
  if (bad === undefined) return [];
  const isCritical = bad.some((sensor) => sensor.state === 'critical');
  const state = isCritical ? 'critical' : bad.length > 0 ? 'warning' : 'ok';
  const names = bad.slice(0, SENSORS_SHOWN).map((sensor) => `${sensor.name}: ${sensor.state}`);
  const rest = bad.length > SENSORS_SHOWN ? [`${bad.length - SENSORS_SHOWN} more`] : [];
  const message = bad.length === 0 ? 'no sensor is beyond its limits' : [...names, ...rest].join(', ');
  return [{ source: 'sensors', key: command, report: { state, message, until: endAfterPeriod(PERIOD_MS) } }];
}

function badSensors({ sdr, chassis, thermal, power }: PollerReading): BadSensor[] | undefined {
  if (sdr !== undefined)
    return listIn(sdr).flatMap((one) => (isObject(one) ? bad(one['Sensor Id'], ipmiState(one.Status)) : []));
  if (isObject(chassis)) return bad('main power', chassis.fault === 'true' ? 'critical' : 'ok');
  const sensors = thermal ?? power;
  if (sensors === undefined) return undefined;
  return (sensors as ChassisSensor[]).flatMap(({ name, health, state }) =>
    bad(name, state === 'Absent' ? 'ok' : redfishState(health)),
  );
}

const bad = (name: unknown, state: HealthState): BadSensor[] =>
  state === 'ok' ? [] : [{ name: String(name ?? 'a sensor'), state }];

/** ipmitool's words: `nc`, `cr` and `nr`, or with the limit, such as `unc` and `lcr`. */
function ipmiState(status: unknown): HealthState {
  const word = String(status);
  if (/^[ul]?(cr|nr)$/.test(word)) return 'critical';
  return /^[ul]?nc$/.test(word) ? 'warning' : 'ok';
}

const redfishState = (health: string | null): HealthState =>
  health === 'Critical' ? 'critical' : health === 'Warning' ? 'warning' : 'ok';
